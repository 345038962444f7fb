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

/**
 * Forgets which completes were restored above sample and quotas, as far as there is room for them by now: of each, no more stay above than exceed
 * it. The study is locked, and about to change.
 */
export async function forgetAbove(tx: Queryable, { studyId }: Pick<Study, 'studyId'>): Promise<void> {
  const nth = (within: string): string => `row_number() OVER (${within} ORDER BY p.state <> 'completed', p.place_id)`;
  await tx.query(
    `WITH above AS (SELECT * FROM study_places WHERE study_id = $1 AND above_sample),
     counted AS (
       SELECT p.place_id, ${nth('')} AS nth, s.held - s.sample_size AS excess FROM above p JOIN studies s USING (study_id)
       UNION ALL
       SELECT p.place_id, ${nth('PARTITION BY q.position')}, q.held - q.most FROM above p JOIN study_quotas q ON q.study_id = $1 AND ${quotaCounts})
     UPDATE study_places SET above_sample = false
      WHERE place_id IN (SELECT place_id FROM counted GROUP BY place_id HAVING bool_and(nth > excess))`,
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
