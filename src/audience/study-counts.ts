/**
 * Counts of a study by supplier, source and day, and of who took its places. They are written with every change of a place, under the lock of the
 * study, so that a report reads a few rows however many respondents came.
 */
import { openSourcesMax, type ClaimantKind } from '../contract/study-report.js';
import { columnsOf } from '../stores/database/columns.js';
import type { Queryable } from '../stores/database/port.js';
import type { QuotaReservation } from './reservation-store.js';
import { surveySeconds } from './study-rules.js';
import { countNames, countsOf, type CountName } from './transitions.js';

type QuotaCounts = Pick<
  QuotaReservation,
  | 'reservationId'
  | 'studyId'
  | 'organizationId'
  | 'supplierId'
  | 'sourceId'
  | 'enteredAt'
  | 'state'
  | 'verified'
  | 'counted'
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

/** Counts a place that was just made. It locks the study first, as every other change does. */
export async function countEntry(tx: Queryable, place: QuotaCounts): Promise<void> {
  await tx.query('UPDATE studies SET entered = entered + 1 WHERE study_id = $1', [place.studyId]);
  await tally(tx, place, 1);
}

/** Counts a place for who sent it last, no longer for who did before. The caller holds the lock of the study. */
export async function moveEntry(tx: Queryable, was: QuotaCounts, is: QuotaCounts): Promise<void> {
  await tally(tx, was, -1);
  await tally(tx, is, 1);
}

async function tally(tx: Queryable, place: QuotaCounts, by: 1 | -1): Promise<void> {
  const counts = countsOf(place);
  const names = ['entered', ...countNames.filter((name) => counts[name] > 0)];
  const { studyId, organizationId, supplierId, enteredAt } = place;
  await tx.query(
    `INSERT INTO study_tallies (study_id, organization_id, supplier_id, source_id, day, ${names.join(', ')})
     VALUES ($1, $2, $3, $4, ($5::timestamptz AT TIME ZONE 'UTC')::date, ${names.map(() => '1').join(', ')})
     ON CONFLICT (study_id, supplier_id, source_id, day) DO UPDATE SET ${names.map((name) => `${name} = study_tallies.${name} + ${by}`).join(', ')}`,
    [studyId, organizationId, supplierId ?? '', await labelOf(tx, place), enteredAt],
  );
}

/** The source that a place counts for: of an open link its label, as long as the study has not too many. One that counts apart does so for good. */
async function labelOf(tx: Queryable, { studyId, supplierId, sourceId }: QuotaCounts): Promise<string> {
  if (supplierId !== null) return '';
  const known = await tx.query(
    `SELECT 1 FROM study_tallies WHERE study_id = $1 AND supplier_id = '' AND source_id = $2 LIMIT 1`,
    [studyId, sourceId],
  );
  if (known.length > 0) return sourceId;
  const counted = await tx.query(
    `UPDATE studies SET sources = sources + 1 WHERE study_id = $1 AND sources < ${openSourcesMax} RETURNING 1`,
    [studyId],
  );
  return counted.length > 0 ? sourceId : '';
}

/** Two states of a place; `claimed` is added to what changed between them. */
export interface PlaceChange {
  readonly was: QuotaCounts;
  readonly is: QuotaCounts;
  readonly claimed: Readonly<Partial<Record<CountName, number>>>;
}

/** How far a change moves each count. */
export function shiftsOf({ was, is, claimed }: PlaceChange): Readonly<Record<CountName, number>> {
  const [before, after] = [countsOf(was), countsOf(is)];
  const shifts = countNames.map((name) => [name, after[name] - before[name] + (claimed[name] ?? 0)]);
  return Object.fromEntries(shifts) as Record<CountName, number>;
}

/** Counts what changed in places of one study, with a statement for each supplier or source, and day. */
export async function countChanges(tx: Queryable, changes: readonly PlaceChange[]): Promise<void> {
  const groups = new Map<string, PlaceChange[]>();
  for (const change of changes) {
    const { enteredAt, supplierId, sourceId } = change.is;
    const key = `${enteredAt.toISOString().slice(0, 10)} ${supplierId ?? `\n${sourceId}`}`;
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  for (const group of groups.values()) await countGroup(tx, group);
  await countCompletes(tx, changes);
}

/** All changes belong to one study, supplier or source, and day. */
async function countGroup(tx: Queryable, changes: readonly PlaceChange[]): Promise<void> {
  const [first] = changes;
  if (first === undefined) return;
  const { studyId, supplierId, sourceId, enteredAt } = first.is;
  const shifts = changes.map(shiftsOf);
  const values: (string | number | Date)[] = [studyId, supplierId ?? '', enteredAt, sourceId];
  const sets = countNames.flatMap((name) => {
    const by = shifts.reduce((sum, shift) => sum + shift[name], 0);
    return by === 0 ? [] : [`${name} = ${name} + $${values.push(by)}`];
  });
  const moves = new Map<number, number>();
  for (const { was, is } of changes)
    for (const [bucket, by] of [
      [bucketOf(was), -1],
      [bucketOf(is), 1],
    ] as const)
      if (bucket !== null) moves.set(bucket, (moves.get(bucket) ?? 0) + by);
  const moved = [...moves].filter(([, by]) => by !== 0);
  const seconds = moved.reduce((histogram, [bucket, by]) => shiftedBy(histogram, bucket, by), 'seconds');
  const tallied = moved.length === 0 ? sets : [...sets, `seconds = ${seconds}`];
  if (tallied.length === 0) return;
  await tx.query(
    `WITH tallied AS (UPDATE study_tallies SET ${tallied.join(', ')}
       WHERE study_id = $1 AND supplier_id = $2 AND day = ($3::timestamptz AT TIME ZONE 'UTC')::date AND source_id = coalesce(
         (SELECT source_id FROM study_tallies WHERE study_id = $1 AND supplier_id = $2 AND source_id = $4 LIMIT 1), ''))
     UPDATE studies SET ${sets.length === 0 ? 'entered = entered' : sets.join(', ')} WHERE study_id = $1`,
    values,
  );
}

/** SQL; the numbers are made here. */
const shiftedBy = (histogram: string, bucket: number, by: number): string =>
  `jsonb_set(${histogram}, '{${bucket}}', to_jsonb(coalesce((seconds->>'${bucket}')::int, 0) + ${by}))`;

/** The known kinds of identity behind a place. */
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

async function countCompletes(tx: Queryable, changes: readonly PlaceChange[]): Promise<void> {
  const claims = changes.flatMap((change) => {
    const by = shiftsOf(change).completed;
    return by === 0 ? [] : claimsOf(change.is).map(([kind, ref]) => ({ kind, ref, by }));
  });
  const [place] = changes;
  if (place === undefined || claims.length === 0) return;
  await tx.query(
    `UPDATE study_claimants c SET completed = c.completed + claim.by
       FROM (SELECT kind, ref, sum(by)::int AS by FROM unnest($2::text[], $3::text[], $4::int[]) AS one (kind, ref, by) GROUP BY kind, ref) AS claim
      WHERE c.study_id = $1 AND c.kind = claim.kind AND c.ref = claim.ref`,
    [place.is.studyId, ...columnsOf(claims, 'kind', 'ref', 'by')],
  );
}

/** SQL: takes the places of the rows `gone` (of study_places) from the counts of who took them; nothing of the claimants stays without a place. */
export const uncounted = `claims AS (
    SELECT study_id, kind, ref, count(*)::int AS places, (count(*) FILTER (WHERE counted))::int AS completed
      FROM gone CROSS JOIN LATERAL (VALUES ('device', device_ref), ('address', address_ref), ('network', network_ref)) AS claim (kind, ref)
     WHERE ref IS NOT NULL GROUP BY study_id, kind, ref),
  emptied AS (DELETE FROM study_claimants c USING claims WHERE c.study_id = claims.study_id AND c.kind = claims.kind AND c.ref = claims.ref AND c.places <= claims.places),
  lessened AS (UPDATE study_claimants c SET places = c.places - claims.places, completed = c.completed - claims.completed FROM claims
     WHERE c.study_id = claims.study_id AND c.kind = claims.kind AND c.ref = claims.ref AND c.places > claims.places)`;
