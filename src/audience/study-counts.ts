/**
 * Counts of a study by supplier and day, and of who took its places. They are written with every change of a place, under the lock of the
 * study, so that a report reads a few rows however many respondents came.
 */
import type { ClaimantKind } from '../contract/study-report.js';
import type { Queryable } from '../stores/database/port.js';
import type { QuotaReservation } from './reservation-store.js';
import { surveySeconds } from './study-rules.js';
import { countNames, countsOf, type CountName } from './transitions.js';

type QuotaCounts = Pick<
  QuotaReservation,
  | 'studyId'
  | 'organizationId'
  | 'supplierId'
  | 'enteredAt'
  | 'state'
  | 'verified'
  | 'screenedFor'
  | 'completion'
  | 'surveyedAt'
  | 'returnedAt'
  | 'deviceRef'
  | 'addressRef'
  | 'networkRef'
>;

/** Each bucket of times ends this much later than it starts. */
const bucketRatio = 1.05;

const bucketOf = (place: QuotaCounts): number | null =>
  countsOf(place).completed === 0
    ? null
    : Math.floor(Math.log(1 + (surveySeconds(place) ?? 0)) / Math.log(bucketRatio));

const secondsOf = (bucket: number): number => Math.round((bucketRatio ** bucket + bucketRatio ** (bucket + 1)) / 2 - 1);

/** The middle of the times in these buckets; null: there is none. */
export function medianOf(histograms: readonly Readonly<Record<string, number>>[]): number | null {
  const counts = new Map<number, number>();
  for (const histogram of histograms)
    for (const [bucket, count] of Object.entries(histogram))
      counts.set(Number(bucket), (counts.get(Number(bucket)) ?? 0) + count);
  let left = [...counts.values()].reduce((sum, count) => sum + count, 0) / 2;
  if (left === 0) return null;
  for (const [bucket, count] of [...counts].sort(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return secondsOf(bucket);
  }
  return null;
}

/** Of a place that was just made. The study comes first: every other change locks it first. */
export async function countEntry(
  tx: Queryable,
  { studyId, organizationId, supplierId, enteredAt }: QuotaCounts,
): Promise<void> {
  await tx.query('UPDATE studies SET entered = entered + 1 WHERE study_id = $1', [studyId]);
  await tx.query(
    `INSERT INTO study_tallies (study_id, organization_id, supplier_id, day, entered)
     VALUES ($1, $2, $3, ($4::timestamptz AT TIME ZONE 'UTC')::date, 1)
     ON CONFLICT (study_id, supplier_id, day) DO UPDATE SET entered = study_tallies.entered + 1`,
    [studyId, organizationId, supplierId ?? '', enteredAt],
  );
}

/** What changed between two states of a place; `claimed` is added to it. */
export async function countChange(
  tx: Queryable,
  was: QuotaCounts,
  is: QuotaCounts,
  claimed: Readonly<Partial<Record<CountName, number>>>,
): Promise<{ readonly held: number; readonly verified: number; readonly completed: number }> {
  const [before, after] = [countsOf(was), countsOf(is)];
  const shifts = countNames
    .map((name) => ({ name, by: after[name] - before[name] + (claimed[name] ?? 0) }))
    .filter(({ by }) => by !== 0);
  const [from, to] = [bucketOf(was), bucketOf(is)];
  const values: (string | number | Date)[] = [is.studyId, is.supplierId ?? '', is.enteredAt];
  const sets = shifts.map(({ name, by }) => `${name} = ${name} + $${values.push(by)}`);
  const moves = from === to ? [] : [from, to].map((bucket, index) => ({ bucket, by: index === 0 ? -1 : 1 }));
  const seconds = moves.reduce(
    (histogram, { bucket, by }) => (bucket === null ? histogram : shiftedBy(histogram, bucket, by)),
    'seconds',
  );
  const tallied = seconds === 'seconds' ? sets : [...sets, `seconds = ${seconds}`];
  if (tallied.length > 0)
    await tx.query(
      `WITH tallied AS (UPDATE study_tallies SET ${tallied.join(', ')}
         WHERE study_id = $1 AND supplier_id = $2 AND day = ($3::timestamptz AT TIME ZONE 'UTC')::date)
       UPDATE studies SET ${sets.length === 0 ? 'entered = entered' : sets.join(', ')} WHERE study_id = $1`,
      values,
    );
  const completed = after.completed - before.completed;
  if (completed !== 0) await countCompletes(tx, is, completed);
  return { held: after.held - before.held, verified: after.verified - before.verified, completed };
}

/** SQL; the numbers are made here. */
const shiftedBy = (histogram: string, bucket: number, by: number): string =>
  `jsonb_set(${histogram}, '{${bucket}}', to_jsonb(coalesce((seconds->>'${bucket}')::int, 0) + ${by}))`;

/** Who took a place, by the kinds that are known. */
export const claimsOf = ({
  deviceRef,
  addressRef,
  networkRef,
}: Pick<QuotaCounts, 'deviceRef' | 'addressRef' | 'networkRef'>) =>
  (
    [
      ['device', deviceRef],
      ['address', addressRef],
      ['network', networkRef],
    ] as const
  ).filter((claim): claim is readonly [ClaimantKind, string] => claim[1] !== null);

/** Counts a place for whoever takes it, and answers of which kinds they had taken one before. */
export async function countClaim(
  tx: Queryable,
  { studyId, organizationId }: QuotaCounts,
  claims: readonly (readonly [ClaimantKind, string])[],
): Promise<Partial<Record<CountName, number>>> {
  const rows = await tx.query<{ kind: ClaimantKind; places: number }>(
    `INSERT INTO study_claimants (study_id, organization_id, kind, ref, places)
     SELECT $1, $2, kind, ref, 1 FROM unnest($3::text[], $4::text[]) AS claim (kind, ref)
     ON CONFLICT (study_id, kind, ref) DO UPDATE SET places = study_claimants.places + 1 RETURNING kind, places`,
    [studyId, organizationId, claims.map(([kind]) => kind), claims.map(([, ref]) => ref)],
  );
  return Object.fromEntries(rows.map(({ kind, places }) => [`same_${kind}`, Number(places > 1)]));
}

async function countCompletes(tx: Queryable, place: QuotaCounts, by: number): Promise<void> {
  const claims = claimsOf(place);
  if (claims.length === 0) return;
  await tx.query(
    `UPDATE study_claimants c SET completed = c.completed + $4 FROM unnest($2::text[], $3::text[]) AS claim (kind, ref)
      WHERE c.study_id = $1 AND c.kind = claim.kind AND c.ref = claim.ref`,
    [place.studyId, claims.map(([kind]) => kind), claims.map(([, ref]) => ref), by],
  );
}

/** SQL: takes the places of the rows `gone` (of study_places) from the counts of who took them; nothing of the claimants stays without a place. */
export const uncounted = `claims AS (
    SELECT study_id, kind, ref, count(*)::int AS places, (count(*) FILTER (WHERE state = 'completed' AND verified))::int AS completed
      FROM gone CROSS JOIN LATERAL (VALUES ('device', device_ref), ('address', address_ref), ('network', network_ref)) AS claim (kind, ref)
     WHERE ref IS NOT NULL GROUP BY study_id, kind, ref),
  emptied AS (DELETE FROM study_claimants c USING claims WHERE c.study_id = claims.study_id AND c.kind = claims.kind AND c.ref = claims.ref AND c.places <= claims.places),
  lessened AS (UPDATE study_claimants c SET places = c.places - claims.places, completed = c.completed - claims.completed FROM claims
     WHERE c.study_id = claims.study_id AND c.kind = claims.kind AND c.ref = claims.ref AND c.places > claims.places)`;
