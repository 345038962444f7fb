/** Whether a study and its quotas have room, by their counts in the transaction. */
import type { Queryable } from '../stores/database/port.js';
import { quotaCounts } from './quota-store.js';
import type { Traits } from './reservation-store.js';
import type { Study } from './study-store.js';
import type { Need } from './transitions.js';

/**
 * Whether study and quotas, as they stand under the lock, take one more like this. Completes that were restored above them take nothing from
 * who holds a place.
 */
export async function hasRoom(tx: Queryable, study: Study, reservationId: string, count: Need): Promise<boolean> {
  const above = (condition: string): string =>
    count === 'held'
      ? '0'
      : `(SELECT count(*) FROM study_places p WHERE p.study_id = $2 AND p.above_sample AND p.state = 'completed' AND ${condition})`;
  const full = await tx.query(
    `SELECT 1 FROM studies WHERE study_id = $2 AND ${count} - ${above('true')} >= sample_size
     UNION ALL
     SELECT 1 FROM study_quotas q JOIN study_places p ON p.place_id = $1
      WHERE q.study_id = $2 AND q.${count} - ${above(quotaCounts)} >= q.most AND ${quotaCounts} LIMIT 1`,
    [reservationId, study.studyId],
  );
  return full.length === 0;
}

/** Forgets which completes were restored above sample and quotas, where there is room for them by now. The study is locked, and about to change. */
export async function forgetAbove(tx: Queryable, { studyId }: Pick<Study, 'studyId'>): Promise<void> {
  await tx.query(
    `UPDATE study_places p SET above_sample = false
      WHERE p.study_id = $1 AND p.above_sample AND EXISTS (SELECT 1 FROM studies WHERE study_id = $1 AND held <= sample_size)
        AND NOT EXISTS (SELECT 1 FROM study_quotas q WHERE q.study_id = $1 AND q.held > q.most AND ${quotaCounts})`,
    [studyId],
  );
}

/** Whether the sample and the quotas have room for a respondent with these traits who has not entered. */
export async function hasRoomFor(tx: Queryable, study: Study, traits: Traits): Promise<boolean> {
  if (study.held >= study.sampleSize) return false;
  const full = await tx.query(
    `SELECT 1 FROM study_quotas q, (SELECT $2::text AS country, $3::text AS gender, $4::int AS age, $5::text AS profession) p
      WHERE q.study_id = $1 AND q.held >= q.most AND ${quotaCounts} LIMIT 1`,
    [study.studyId, traits.country, traits.gender, traits.age, traits.profession],
  );
  return full.length === 0;
}
