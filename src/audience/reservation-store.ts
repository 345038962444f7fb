/** The quota reservations of a study. Changes happen under the study’s lock, together with its counts and quotas. */
import type { Ref } from '../contract/facts.js';
import type { ReasonClass } from '../contract/outcome.js';
import type { ScoreReply } from '../contract/score.js';
import type { EntryMode } from '../contract/study.js';
import type { Completion, ReversedBy } from '../contract/study-replies.js';
import type { DuplicateBand } from './study-rules.js';
import {
  claimsOf,
  countChanges,
  countClaim,
  countEntry,
  moveEntry,
  shiftsOf,
  type PlaceChange,
} from './study-counts.js';
import type { ReservationState, ScreenedFor } from './transitions.js';
import { makeId } from '../crypto/ids.js';
import { columnsOf } from '../stores/database/columns.js';
import type { Database, Queryable, SqlValue } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { quotaCounts } from './quota-store.js';
import type { Study } from './study-store.js';

/** Whose word a return is, weakest first. */
export const returnedBys = ['browser', 'survey', 'owner'] as const;
export type ReturnedBy = (typeof returnedBys)[number];
/** The strongest word on a place: of a return, or stronger than any, of the owner who withdrew their own. */
export const standingWords = [...returnedBys, 'withdrawal'] as const;
export type StandingWord = (typeof standingWords)[number];
/** Why a return refuses an interview. */
export type Refusal = Extract<ReasonClass, 'fit' | 'quality'>;

/** The known traits of a respondent; null: unknown. */
export interface Traits {
  readonly country: string | null;
  readonly gender: string | null;
  readonly age: number | null;
  readonly profession: string | null;
}

export interface QuotaReservation extends Traits {
  readonly reservationId: string;
  readonly studyId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly respondentId: string;
  readonly sourceId: string;
  readonly supplierId: string | null;
  readonly entry: EntryMode;
  readonly respondentRef: string;
  readonly state: ReservationState;
  readonly screenedFor: ScreenedFor | null;
  readonly verified: boolean;
  /** Whether its complete counts. */
  readonly counted: boolean;
  /** Whether it ever did: then the supplier may know of it, by the redirect or a postback. */
  readonly hasCounted: boolean;
  readonly score: number | null;
  readonly recommendation: ScoreReply['recommendation'] | null;
  /** The foremost finding against the respondent. */
  readonly reason: string | null;
  readonly duplicateBand: DuplicateBand | null;
  /** The visits being judged that it repeats; null: none, or it repeats another place besides. */
  readonly repeats: readonly Ref[] | null;
  readonly receiptId: string | null;
  readonly linkId: string | null;
  /** The visit that the gate is judging; null: none. */
  readonly judging: string | null;
  /** The browser that took the place; null until one does. */
  readonly deviceRef: string | null;
  readonly addressRef: string | null;
  readonly networkRef: string | null;
  readonly token: string | null;
  readonly tokenUntil: Date | null;
  readonly enteredAt: Date;
  /** When the respondent was first sent to the survey. */
  readonly surveyedAt: Date | null;
  readonly returnedAt: Date | null;
  readonly returnedBy: StandingWord | null;
  readonly completion: Completion | null;
  readonly refusedFor: ReasonClass | null;
  /** The current rejection of the complete; null: none. */
  readonly reversedBy: ReversedBy | null;
  /** When a dispute or a return rejected it last, also where that was withdrawn. */
  readonly reversedAt: Date | null;
  /** A withdrawal restores it: a completion, or the reason for which a return refused the interview meanwhile. */
  readonly reversedFrom: Exclude<Completion, 'reversed'> | Refusal | null;
  readonly reversalNote: string | null;
  readonly exitStatus: string | null;
}

type ReservationRow = QuotaReservation & Record<string, unknown>;

export const reservationColumns = `place_id AS "reservationId", study_id AS "studyId", organization_id AS "organizationId", project_id AS "projectId",
  respondent_id AS "respondentId", source_id AS "sourceId", respondent_ref AS "respondentRef", state, screened_for AS "screenedFor", verified, counted, has_counted AS "hasCounted",
  country, gender, age, profession, score, recommendation, reason, duplicate_band AS "duplicateBand", repeats, receipt_id AS "receiptId", link_id AS "linkId", judging, device_ref AS "deviceRef",
  address_ref AS "addressRef", network_ref AS "networkRef",  token, token_until AS "tokenUntil", entered_at AS "enteredAt", supplier_id AS "supplierId", entry, surveyed_at AS "surveyedAt", returned_at AS "returnedAt",
  returned_by AS "returnedBy", completion, refused_for AS "refusedFor", reversed_by AS "reversedBy", reversed_at AS "reversedAt",
  reversed_from AS "reversedFrom", reversal_note AS "reversalNote", exit_status AS "exitStatus"`;

/** Whether the respondent was erased: the place is named by its own id, and no postback is sent for them any more. */
export const isErased = ({
  reservationId,
  respondentRef,
}: Pick<QuotaReservation, 'reservationId' | 'respondentRef'>): boolean => respondentRef === reservationId;
/** The same in SQL, and to set. */
export const erasedName = 'respondent_ref = place_id';

export const isReservationId = (text: string): boolean => /^plc_[0-9a-f]{32}$/.test(text);

/** The respondent’s reservation in the study, created with this id if there is none. Only one of two concurrent calls creates it. */
export async function openReservation(
  tx: Queryable,
  study: Study,
  respondent: Pick<QuotaReservation, 'respondentId' | 'respondentRef' | 'sourceId' | 'supplierId' | 'entry'> & Traits,
  reservationId = makeId('reservation'),
): Promise<QuotaReservation> {
  const { studyId, organizationId, projectId } = study;
  const { respondentId, sourceId, respondentRef, country, gender, age, profession, supplierId, entry } = respondent;
  const further = [country, gender, age, profession, supplierId, entry];
  // An insert alone holds a weaker lock of the study, and two that come to count it at once would wait for each other.
  await tx.query('SELECT 1 FROM studies WHERE study_id = $1 FOR UPDATE', [studyId]);
  const [made] = await tx.query<ReservationRow>(
    `INSERT INTO study_places (place_id, study_id, organization_id, project_id, respondent_id, source_id, respondent_ref, state, country, gender, age, profession, supplier_id, entry)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'entering', $8, $9, $10, $11, $12, $13) ON CONFLICT (study_id, respondent_ref) DO NOTHING RETURNING ${reservationColumns}`,
    [reservationId, studyId, organizationId, projectId, respondentId, sourceId, respondentRef, ...further],
  );
  if (made !== undefined) {
    await countEntry(tx, made);
    return made;
  }
  const known = await findRespondentReservation(tx, studyId, respondentRef);
  if (known === null) throw new Error('a conflicting quota reservation cannot be read');
  return known;
}

export async function findRespondentReservation(
  tx: Queryable,
  studyId: string,
  respondentRef: string,
): Promise<QuotaReservation | null> {
  const [row] = await tx.query<ReservationRow>(
    `SELECT ${reservationColumns} FROM study_places WHERE study_id = $1 AND respondent_ref = $2`,
    [studyId, respondentRef],
  );
  return row ?? null;
}

/** By its id; null for what is none. Whoever changes it holds the study’s lock. */
export async function findReservation(tx: Queryable, reservationId: string): Promise<QuotaReservation | null> {
  if (!isReservationId(reservationId)) return null;
  const [row] = await tx.query<ReservationRow>(`SELECT ${reservationColumns} FROM study_places WHERE place_id = $1`, [
    reservationId,
  ]);
  return row ?? null;
}

/** Gives the reservation another name for its respondent. */
export async function renameRespondent(
  tx: Queryable,
  { reservationId }: QuotaReservation,
  respondentRef: string,
): Promise<QuotaReservation> {
  const [row] = await tx.query<ReservationRow>(
    `UPDATE study_places SET respondent_ref = $2 WHERE place_id = $1 RETURNING ${reservationColumns}`,
    [reservationId, respondentRef],
  );
  if (row === undefined) throw new Error('there is no such quota reservation');
  return row;
}

/** Gives a reservation that nobody holds yet to the sender of a newer link, with its traits. The caller holds the lock of the study. */
export async function takeLink(
  tx: Queryable,
  before: QuotaReservation,
  {
    country,
    gender,
    age,
    profession,
    sourceId,
    supplierId,
  }: Traits & Pick<QuotaReservation, 'sourceId' | 'supplierId'>,
): Promise<QuotaReservation> {
  const [row] = await tx.query<ReservationRow>(
    `UPDATE study_places SET country = $2, gender = $3, age = $4, profession = $5, source_id = $6, supplier_id = $7,
            exit_status = CASE WHEN supplier_id IS NOT DISTINCT FROM $7 THEN exit_status END
      WHERE place_id = $1 RETURNING ${reservationColumns}`,
    [before.reservationId, country, gender, age, profession, sourceId, supplierId],
  );
  if (row === undefined) throw new Error('there is no such quota reservation');
  if (row.sourceId !== before.sourceId || row.supplierId !== before.supplierId) await moveEntry(tx, before, row);
  return row;
}

/** Those of these ids that the organization of the transaction has. */
export const findReservations = (tx: Queryable, ids: readonly string[]): Promise<readonly QuotaReservation[]> =>
  tx.query<ReservationRow>(
    `SELECT ${reservationColumns} FROM study_places WHERE place_id = ANY($1::text[]) ORDER BY place_id`,
    [ids],
  );

/** Those of these that are of the study, by id or by the rid that suppliers send, which erased respondents have no more. */
export const findNamed = (
  tx: Queryable,
  { projectId, studyId }: Pick<QuotaReservation, 'projectId' | 'studyId'>,
  named: { readonly ids: readonly string[]; readonly rids: readonly string[] },
): Promise<readonly QuotaReservation[]> =>
  tx.query<ReservationRow>(
    `SELECT ${reservationColumns} FROM study_places WHERE place_id = ANY($3::text[]) AND study_id = $2
     UNION SELECT ${reservationColumns} FROM study_places WHERE project_id = $1 AND respondent_id = ANY($4::text[]) AND study_id = $2
            AND NOT (${erasedName})`,
    [projectId, studyId, named.ids, named.rids],
  );

/** Whether a session is that of a respondent of a study of the organization. */
export const isPlace = async (database: Database, organizationId: string, sessionId: string): Promise<boolean> =>
  isReservationId(sessionId) &&
  (await inOrganization(database, organizationId, (tx) => findReservation(tx, sessionId))) !== null;

const changeColumns = {
  state: 'state',
  screenedFor: 'screened_for',
  verified: 'verified',
  counted: 'counted',
  linkId: 'link_id',
  deviceRef: 'device_ref',
  addressRef: 'address_ref',
  networkRef: 'network_ref',
  score: 'score',
  recommendation: 'recommendation',
  reason: 'reason',
  duplicateBand: 'duplicate_band',
  repeats: 'repeats',
  receiptId: 'receipt_id',
  completion: 'completion',
  returnedAt: 'returned_at',
  returnedBy: 'returned_by',
  refusedFor: 'refused_for',
  reversedBy: 'reversed_by',
  reversedAt: 'reversed_at',
  reversedFrom: 'reversed_from',
  reversalNote: 'reversal_note',
  outcomeDue: 'outcome_due',
  aboveSample: 'above_sample',
} as const;

/** Changes to a reservation. Absent fields stay. */
export type ReservationChange = Partial<
  Pick<QuotaReservation, Exclude<keyof typeof changeColumns, 'state' | 'linkId' | 'outcomeDue' | 'aboveSample'>>
> & {
  readonly state?: ReservationState;
  readonly linkId?: string;
  /** Milliseconds from now, by the database’s clock, until the reservation expires. */
  readonly dueInMs?: number;
  /** Whether its outcome is to be reported. */
  readonly outcomeDue?: boolean;
  /** Whether sample or quotas had no room for its complete, which was restored nevertheless. */
  readonly aboveSample?: boolean;
};

/** Changes a reservation and, by what it is then, the counts with it; returns the new reservation. */
export async function changeReservation(
  tx: Queryable,
  before: QuotaReservation,
  change: ReservationChange,
): Promise<QuotaReservation> {
  const [changed] = await changeReservations(tx, [before], change);
  if (changed === undefined) throw new Error('a change of one reservation answered none');
  return changed;
}

/** The same change of several reservations of one study. */
export async function changeReservations(
  tx: Queryable,
  before: readonly QuotaReservation[],
  change: ReservationChange,
): Promise<readonly QuotaReservation[]> {
  const values: SqlValue[] = [before.map(({ reservationId }) => reservationId)];
  const sets = Object.entries(changeColumns).flatMap(([name, column]) => {
    const value = change[name as keyof typeof changeColumns];
    return value === undefined ? [] : [`${column} = $${values.push(value)}`];
  });
  if (change.dueInMs !== undefined)
    sets.push(`due_at = now() + $${values.push(change.dueInMs)} * interval '1 millisecond'`);
  if (change.state === 'surveying') sets.push('surveyed_at = coalesce(surveyed_at, now())');
  if (change.counted === true) sets.push('has_counted = true');
  if (change.state !== undefined) sets.push('exit_due = supplier_id IS NOT NULL', 'judging = NULL');
  const rows = await tx.query<ReservationRow>(
    `UPDATE study_places SET ${sets.join(', ')} WHERE place_id = ANY($1::text[]) RETURNING ${reservationColumns}`,
    values,
  );
  const changed = new Map(rows.map((row) => [row.reservationId, row]));
  const after: QuotaReservation[] = [];
  const changes: PlaceChange[] = [];
  for (const was of before) {
    const is = changed.get(was.reservationId);
    if (is === undefined) throw new Error('a quota reservation vanished under the lock of its study');
    const claims = was.deviceRef === null ? claimsOf(is) : [];
    after.push(is);
    changes.push({ was, is, claimed: claims.length === 0 ? {} : await countClaim(tx, is, claims) });
  }
  await countChanges(tx, changes);
  await countQuotas(tx, changes);
  return after;
}

/** Keeps what the buyer wrote about reservations whose completes are rejected. */
export async function noteReversals(
  tx: Queryable,
  notes: readonly { readonly reservationId: string; readonly note: string }[],
): Promise<void> {
  if (notes.length === 0) return;
  await tx.query(
    `UPDATE study_places p SET reversal_note = given.note FROM unnest($1::text[], $2::text[]) AS given (place, note)
      WHERE p.place_id = given.place AND p.completion = 'reversed'`,
    columnsOf(notes, 'reservationId', 'note'),
  );
}

/** The kinds of respondents, the quotas that count them, and the drafts of quotas that have counted them. */
async function countQuotas(tx: Queryable, changes: readonly PlaceChange[]): Promise<void> {
  const moved = changes
    .map((change) => ({ is: change.is, shifts: shiftsOf(change) }))
    .filter(({ shifts: { held, verified, completed } }) => held !== 0 || verified !== 0 || completed !== 0);
  const [first] = moved;
  if (first === undefined) return;
  await tx.query(
    `WITH moved AS MATERIALIZED (
       SELECT p.organization_id, p.country, p.gender, p.age, p.profession, sum(d.held)::int AS held, sum(d.verified)::int AS verified, sum(d.completed)::int AS completed
         FROM unnest($2::text[], $3::int[], $4::int[], $5::int[]) AS d (place_id, held, verified, completed) JOIN study_places p USING (place_id)
        GROUP BY p.organization_id, p.country, p.gender, p.age, p.profession),
     kind AS (
       INSERT INTO study_kinds AS k (study_id, organization_id, country, gender, age, profession, held, verified, completed)
       SELECT $1, moved.* FROM moved ON CONFLICT (study_id, country, gender, age, profession)
       DO UPDATE SET held = k.held + excluded.held, verified = k.verified + excluded.verified, completed = k.completed + excluded.completed
       RETURNING kind_id, country, gender, age, profession),
     drafted AS (
       UPDATE study_quota_drafts d SET held = d.held + counted.held, verified = d.verified + counted.verified, completed = d.completed + counted.completed
         FROM (SELECT q.draft_id, sum(p.held)::int AS held, sum(p.verified)::int AS verified, sum(p.completed)::int AS completed
                 FROM study_quota_drafts q JOIN moved p ON ${quotaCounts}
                 JOIN kind k ON ROW(k.country, k.gender, k.age, k.profession) IS NOT DISTINCT FROM ROW(p.country, p.gender, p.age, p.profession) AND k.kind_id <= q.counted_to
                WHERE q.study_id = $1 GROUP BY q.draft_id) AS counted
        WHERE d.draft_id = counted.draft_id),
     counted AS (
       SELECT q.position, sum(p.held)::int AS held, sum(p.verified)::int AS verified, sum(p.completed)::int AS completed
         FROM study_quotas q JOIN moved p ON ${quotaCounts} WHERE q.study_id = $1 GROUP BY q.position)
     UPDATE study_quotas q SET held = q.held + counted.held, verified = q.verified + counted.verified, completed = q.completed + counted.completed
       FROM counted WHERE q.study_id = $1 AND q.position = counted.position`,
    [
      first.is.studyId,
      moved.map(({ is }) => is.reservationId),
      ...(['held', 'verified', 'completed'] as const).map((name) => moved.map(({ shifts }) => shifts[name])),
    ],
  );
}

/** Keeps the token that the survey is given; one that is `lasting` longer stays, as the first of two made at once. Answers the one that is good; null: the respondent was erased. */
export async function keepToken(
  tx: Queryable,
  reservationId: string,
  { token, until, lasting }: { readonly token: string; readonly until: Date; readonly lasting: Date },
): Promise<string | null> {
  const [row] = await tx.query<{ token: string }>(
    `UPDATE study_places SET token = CASE WHEN token_until > $4 THEN token ELSE $2 END,
            token_until = CASE WHEN token_until > $4 THEN token_until ELSE $3 END
      WHERE place_id = $1 AND NOT (${erasedName}) RETURNING token`,
    [reservationId, token, until, lasting],
  );
  return row?.token ?? null;
}
