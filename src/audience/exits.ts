/** The way back to the supplier: which status a respondent leaves with, and the address that the supplier has for it. */
import type { PlaceStatus } from '../contract/postback.js';
import type { ExitStatus } from '../contract/supplier.js';
import type { SecretStore } from '../administration/secret-store.js';
import type { Database } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { pageOf, type Answer } from './fielding.js';
import type { PageName } from './page-texts.js';
import type { QuotaReservation } from './reservation-store.js';
import { screenOutReasonOf } from './study-rules.js';
import type { Study } from './study-store.js';
import { fillRedirect, redirectOf, type Exit } from './supplier-rules.js';
import { findSupplier } from './supplier-store.js';

/** The supplier’s status of a place; null: none yet. A complete has none until it counts. */
export function exitStatusOf(
  place: Pick<QuotaReservation, 'state' | 'screenedFor' | 'counted' | 'refusedFor' | 'completion'>,
): PlaceStatus | null {
  if (place.completion === 'reversed') return 'reversed';
  if (place.state === 'completed') return place.counted ? 'complete' : null;
  if (place.refusedFor !== null) return refusals[place.refusedFor];
  if (place.state === 'terminated') return 'full';
  const reason = screenOutReasonOf(place);
  if (reason === null) return null;
  return reason === 'targeting' || reason === 'limit' ? 'screened_out' : reason;
}

const refusals = { fit: 'screened_out', quality: 'quality', fraud: 'quality', unknown: 'quality' } as const;

/** The leaving respondent. They have no reservation if they never got a place. */
export type Leaving = Pick<QuotaReservation, 'supplierId' | 'respondentId' | 'entry'> & {
  readonly reservationId?: string;
};

export type AnswerExit = (study: Study, leaving: Leaving, status: ExitStatus, page: PageName) => Promise<Answer>;

export interface ExitDeps {
  readonly database: Database;
  readonly secrets: SecretStore;
}

/** The supplier’s address for a status; without one, the page. */
export function createExits({ database, secrets }: ExitDeps): AnswerExit {
  return async (study, { supplierId, respondentId: rid, entry, reservationId: placeId = '' }, status, page) => {
    if (supplierId === null) return pageOf(study, page);
    const supplier = await inOrganization(database, study.organizationId, (tx) => findSupplier(tx, study, supplierId));
    const address = supplier === null ? null : redirectOf(supplier.redirects, status);
    if (supplier === null || address === null) return pageOf(study, page);
    const exit: Exit = { studyId: study.studyId, placeId, rid, status, entry };
    return { kind: 'redirect', url: fillRedirect(address, exit, secrets.open(supplierId, supplier).current) };
  };
}

/** The last step of a visit: the address of the supplier, else the page. */
export function leave(exit: AnswerExit, study: Study, place: QuotaReservation, page: PageName): Promise<Answer> {
  const status = exitStatusOf(place);
  if (status === null || status === 'reversed') return Promise.resolve(pageOf(study, page));
  return exit(study, place, status, page);
}
