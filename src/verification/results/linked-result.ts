/**
 * The result of a hosted session, read from the token that it ended with. The token is verified as a backend’s is; a page can
 * neither make one nor use that of another link’s session.
 */
import type { HostedLink } from '../../administration/hosted-links.js';
import type { Database } from '../../stores/database/port.js';
import { findSession } from '../sessions/session-store.js';
import type { VerifyToken } from '../tokens/verification-token.js';
import type { ResultService, SignedResult } from './result-service.js';

export interface LinkedResultDeps {
  readonly database: Database;
  readonly verifyToken: VerifyToken;
  readonly results: Pick<ResultService, 'signed'>;
}

/** null where the token does not verify, or is not of a session of the link. */
export function createLinkedResults({ database, verifyToken, results }: LinkedResultDeps) {
  return async (link: HostedLink, token: string): Promise<SignedResult | null> => {
    const { organizationId, projectId, isDemo } = link;
    const verified = await verifyToken({ organizationId, projectId, isTest: isDemo }, token);
    const session = verified.sessionId === undefined ? null : await findSession(database, verified.sessionId);
    if (!verified.success || session === null || session.linkId !== link.linkId) return null;
    return results.signed(session);
  };
}
