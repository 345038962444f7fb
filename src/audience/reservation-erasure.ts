/** Reservations of erased respondents: found under every name, and made to name nobody. They stay counted. */
import type { Database, Queryable, Row } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { underStudyLock } from './fielding.js';
import { asideName } from './own-places.js';
import { erasedName, type QuotaReservation } from './reservation-store.js';
import { uncounted } from './study-counts.js';

/** Whose reservations are erased; respondentId is the rid that suppliers send. */
export type ErasedRespondent = Pick<QuotaReservation, 'organizationId' | 'projectId' | 'respondentId'>;

export interface ErasedPlace {
  readonly id: string;
  /** The link to the hosted verification that it had. */
  readonly linkId: string | null;
}

/** Places of a respondent: $1 the project, $2 the rid. */
export const ofRespondent = `project_id = $1 AND respondent_id = $2 AND NOT (${erasedName})`;

/** The keyed hashes that stand for the respondent elsewhere: one for each supplier that sends this rid, and one for each browser of an open link. */
export const findRespondentRefs = (
  database: Database,
  { organizationId, projectId, respondentId }: ErasedRespondent,
): Promise<readonly string[]> =>
  inOrganization(database, organizationId, async (tx) => {
    const rows = await tx.query<{ respondent_ref: string }>(
      `SELECT DISTINCT name.respondent_ref FROM study_places p
        CROSS JOIN LATERAL (VALUES (split_part(p.respondent_ref, '.', 1)),
          (CASE WHEN p.entry = 'open' THEN split_part(p.respondent_ref, '.', 1) || '.' || p.place_id END)) AS name (respondent_ref)
        WHERE p.project_id = $1 AND p.respondent_id = $2 AND p.respondent_ref <> p.place_id AND name.respondent_ref IS NOT NULL`,
      [projectId, respondentId],
    );
    return rows.map((row) => row.respondent_ref);
  });

/**
 * Removes the respondent’s names, token and receipt from their reservations, which stay counted and name nobody any more. `eraseElsewhere` erases
 * what others keep of these in the same transaction: one for each study, under its lock. Answers the sum of what it returns.
 */
export async function eraseReservations(
  database: Database,
  { organizationId, projectId, respondentId }: ErasedRespondent,
  eraseElsewhere: (tx: Queryable, places: readonly ErasedPlace[]) => Promise<number>,
): Promise<number> {
  const studies = await inOrganization(database, organizationId, (tx) =>
    tx.query<{ id: string }>(`SELECT DISTINCT study_id AS id FROM study_places WHERE ${ofRespondent}`, [
      projectId,
      respondentId,
    ]),
  );
  let erased = 0;
  for (const { id: studyId } of studies)
    erased += await underStudyLock(database, { organizationId, studyId }, async (tx) => {
      const places = await tx.query<ErasedPlace & Row>(
        `WITH gone AS (SELECT * FROM study_places WHERE ${ofRespondent} AND study_id = $3), ${uncounted}
         UPDATE study_places SET respondent_id = 'erased', ${erasedName}, token = NULL, token_until = NULL, receipt_id = NULL, link_id = NULL, reversal_note = NULL, repeats = NULL,
                device_ref = NULL, address_ref = NULL, network_ref = NULL, exit_due = exit_due AND NOT (${asideName})
          WHERE place_id IN (SELECT place_id FROM gone)
         RETURNING place_id AS id, (SELECT link_id FROM gone WHERE gone.place_id = study_places.place_id) AS "linkId"`,
        [projectId, respondentId, studyId],
      );
      return eraseElsewhere(tx, places);
    });
  return erased;
}
