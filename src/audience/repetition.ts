/**
 * Whom a respondent of a study can repeat: those who take part, not everybody whom the gate scored.
 *
 *     place of the other                               can be repeated
 *     let in, whatever came of it                      yes
 *     being judged                                     yes: of two at once, the one that is counted later finds the other
 *     screened, and repeats one who can be repeated    yes: scoring compares with the latest alone, which may be a repeater’s own. It counts
 *                                                      as no further device of a crowd
 *     screened for another reason, or left undecided   no
 *
 * A place that repeats only visits that are being judged keeps their names. Once none of these was let in, it repeats nobody, and may try again.
 * A session of scoring that is no place of the study, such as one of the owner’s own, can be repeated.
 */
import { randomUUID } from 'node:crypto';
import type { Ref } from '../contract/facts.js';
import type { Queryable } from '../stores/database/port.js';
import type { QuotaReservation } from './reservation-store.js';

/** The gate’s look at a place, which visits that come at once share. */
export interface Judging {
  /** The place as scoring knows it. */
  readonly sessionRef: Ref;
  /** Random id. */
  readonly judging: string;
}

/** Longer than scoring takes within its deadlines; what a process that ended left behind counts no longer than this. */
const judgingSeconds = 60;

/**
 * Notes that the gate is about to look, before scoring counts the session; the note stays until the place is decided. null: there is no such place.
 */
export async function noteJudging(tx: Queryable, reservationId: string, sessionRef: Ref): Promise<Judging | null> {
  const [noted] = await tx.query<{ readonly judging: string }>(
    `UPDATE study_places SET session_ref = $2, judging = CASE WHEN judging_until > now() THEN coalesce(judging, $3) ELSE $3 END,
            judging_until = now() + ${judgingSeconds} * interval '1 second'
      WHERE place_id = $1 RETURNING judging`,
    [reservationId, sessionRef, randomUUID()],
  );
  return noted === undefined ? null : { sessionRef, judging: noted.judging };
}

/** Notes that the gate could not check the visit, and decides nothing: others need not take it for one that may get in. */
export const endJudging = async (tx: Queryable, reservationId: string, { judging }: Judging): Promise<void> =>
  void (await tx.query('UPDATE study_places SET judging_until = now() WHERE place_id = $1 AND judging = $2', [
    reservationId,
    judging,
  ]));

/** Whether another visit has decided since the note, or ended it undecided. Then others may have taken the place for one that is not let in. */
export const isEndedSince = (place: Pick<QuotaReservation, 'judging'>, { judging }: Judging): boolean =>
  place.judging !== judging;

/** The part of sessions in a study, as far as somebody can repeat them. */
export interface SessionClasses {
  readonly unrepeatable: readonly Ref[];
  /** Screened as repeats of somebody who can be repeated. */
  readonly repeats: readonly Ref[];
  /** The visits being judged on which alone it depends whether the session can be repeated. */
  readonly awaited: ReadonlyMap<Ref, readonly Ref[]>;
}

/** Repeats of repeats that are followed: each was judged while the one before was. */
const depthMax = 4;
/** Visits that a place keeps of those that it repeats. */
const keptMax = 8;

/** Classifies these sessions for a visitor, who repeats neither themselves nor those that repeat them alone. */
export async function classifySessions(
  tx: Queryable,
  { studyId, visitor }: { readonly studyId: string; readonly visitor: Ref },
  sessions: readonly Ref[],
): Promise<SessionClasses> {
  const rows = await tx.query<{
    readonly ref: Ref;
    readonly isRepeat: boolean;
    readonly isFirm: boolean;
    readonly judged: readonly Ref[] | null;
  }>(
    `WITH RECURSIVE place AS NOT MATERIALIZED (
       SELECT session_ref AS ref, repeats, "isRepeat", judging IS NOT NULL AND judging_until > now() AS "isJudged",
              state NOT IN ('entering', 'screened') OR screened_for = 'verification' AS "isIn"
         FROM study_places, LATERAL (SELECT state = 'screened' AND coalesce(duplicate_band, 'none') IN ('likely', 'confirmed') AS "isRepeat") AS found
        WHERE study_id = $1 AND session_ref <> $3),
     reached AS (
       SELECT ref AS start, 0 AS depth, place.* FROM place WHERE ref = ANY($2::text[])
       UNION
       SELECT reached.start, reached.depth + 1, place.* FROM reached JOIN place ON place.ref = ANY(reached.repeats)
        WHERE reached."isRepeat" AND reached.depth < ${depthMax})
     SELECT start AS ref, bool_or("isRepeat" AND depth = 0) AS "isRepeat", coalesce(bool_or("isIn" OR ("isRepeat" AND repeats IS NULL)), false) AS "isFirm",
            array_agg(DISTINCT ref) FILTER (WHERE "isJudged") AS judged
       FROM reached GROUP BY start`,
    [studyId, sessions, visitor],
  );
  const isOut = ({ isFirm, judged }: (typeof rows)[number]): boolean => !isFirm && judged === null;
  return {
    unrepeatable: rows.filter(isOut).map(({ ref }) => ref),
    repeats: rows.filter((row) => row.isRepeat && !isOut(row)).map(({ ref }) => ref),
    awaited: new Map(rows.flatMap(({ ref, isFirm, judged }) => (isFirm || judged === null ? [] : [[ref, judged]]))),
  };
}

/** The visits being judged that all of a repeat depends on; null: it repeats somebody in any case. */
export function awaitedBy(
  repeated: readonly Ref[],
  { awaited }: Pick<SessionClasses, 'awaited'>,
): readonly Ref[] | null {
  const isOpen = repeated.length > 0 && repeated.every((session) => awaited.has(session));
  return isOpen ? [...new Set(repeated.flatMap((session) => awaited.get(session) ?? []))].slice(0, keptMax) : null;
}
