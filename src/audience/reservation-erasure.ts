/**
 * What studies keep of a respondent, for their erasure: the names that scoring and verification know them by, and the reservations, which stay
 * counted and name nobody any more.
 */
import type { Database } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';

export interface ReservationOwner {
  readonly organizationId: string;
  readonly projectId: string;
  /** rid, as suppliers send it. */
  readonly respondentId: string;
}

/** The keyed hashes that stand for the respondent elsewhere; one at most, none where they are in no study. */
export const findRespondentRefs = (
  database: Database,
  { organizationId, projectId, respondentId }: ReservationOwner,
): Promise<readonly string[]> =>
  inOrganization(database, organizationId, async (tx) => {
    const rows = await tx.query<{ respondent_ref: string }>(
      'SELECT DISTINCT respondent_ref FROM study_places WHERE project_id = $1 AND respondent_id = $2 LIMIT 10',
      [projectId, respondentId],
    );
    return rows.map((row) => row.respondent_ref);
  });

/** Removes the respondent’s names, token and receipt from their reservations. */
export const eraseReservations = (
  database: Database,
  { organizationId, projectId, respondentId }: ReservationOwner,
): Promise<unknown> =>
  inOrganization(database, organizationId, (tx) =>
    tx.query(
      `UPDATE study_places SET respondent_id = 'erased', respondent_ref = place_id, token = NULL, token_until = NULL, receipt_id = NULL, link_id = NULL
        WHERE project_id = $1 AND respondent_id = $2`,
      [projectId, respondentId],
    ),
  );
