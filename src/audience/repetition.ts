/**
 * Whom a respondent of a study can repeat: those who take part, not everybody whom the gate scored.
 *
 *     place of the other                               can be repeated
 *     let in, whatever came of it                      yes
 *     screened, and repeated one who was let in        yes: scoring compares with the latest alone, which may be a repeater’s own. It counts
 *                                                      as no further device of a crowd
 *     being judged                                     yes: of two at once, the one that is counted later finds the other
 *     screened for another reason, or left undecided   no
 *
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
 * Notes that the gate is about to look, before scoring counts the session; the note stays until the place is decided. One that is not there yet
 * is opened with it.
 */
export async function noteJudging(tx: Queryable, reservationId: string, sessionRef: Ref): Promise<Judging> {
  const own = randomUUID();
  const [noted] = await tx.query<{ readonly judging: string }>(
    `UPDATE study_places SET session_ref = $2, judging = CASE WHEN judging_until > now() THEN coalesce(judging, $3) ELSE $3 END,
            judging_until = now() + ${judgingSeconds} * interval '1 second'
      WHERE place_id = $1 RETURNING judging`,
    [reservationId, sessionRef, own],
  );
  return { sessionRef, judging: noted?.judging ?? own };
}

/** Whether another visit has decided since the note. Then others may have taken the place for one that is not let in. */
export const isDecidedSince = (place: Pick<QuotaReservation, 'judging'>, { judging }: Judging): boolean =>
  place.judging !== judging;

/** Finds those of these sessions that nobody repeats, and those that were screened as repeats. */
export async function classifySessions(
  tx: Queryable,
  studyId: string,
  sessions: readonly Ref[],
): Promise<Record<'unrepeatable' | 'repeats', readonly Ref[]>> {
  const rows = await tx.query<{ readonly ref: Ref; readonly isRepeat: boolean }>(
    `SELECT session_ref AS ref, "isRepeat" FROM study_places,
            LATERAL (SELECT coalesce(duplicate_band, 'none') IN ('likely', 'confirmed') AS "isRepeat") AS found
      WHERE study_id = $1 AND session_ref = ANY($2::text[])
        AND CASE WHEN "isRepeat" THEN state = 'screened'
                 ELSE (state = 'entering' OR (state = 'screened' AND screened_for <> 'verification'))
                      AND (judging IS NULL OR judging_until <= now()) END`,
    [studyId, sessions],
  );
  const refsOf = (isRepeat: boolean) => rows.filter((row) => row.isRepeat === isRepeat).map(({ ref }) => ref);
  return { unrepeatable: refsOf(false), repeats: refsOf(true) };
}
