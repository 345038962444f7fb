/**
 * Sessions that start on the hosted page: which link they come through, and what it puts into them.
 */
import { notFound } from '../../kernel/faults.js';
import { findLink, linkStateOf, takeLinkUse, type HostedLink } from '../../administration/hosted-links.js';
import type { LinkState } from '../../contract/hosted-link.js';
import { Fault } from '../../errors.js';
import type { Queryable } from '../../stores/database/port.js';
import type { SessionRequest } from './session-service.js';
import { findSession, type StoredSession } from './session-store.js';

/** The link that a creation names; null where it names none. Throws NOT_FOUND for one that the project does not have. */
export async function findNamedLink(
  database: Queryable,
  projectId: string,
  linkId: string | undefined,
): Promise<HostedLink | null> {
  if (linkId === undefined) return null;
  const link = await findLink(database, linkId);
  if (link === null || link.projectId !== projectId) throw notFound('link');
  return link;
}

/**
 * What is created of a request through a link: the link’s own values stand over those of the page. Throws LINK_ENDED; a retry of a
 * session of the same link is taken all the same, because its first try was counted.
 */
export async function throughLink(
  database: Queryable,
  link: HostedLink,
  request: SessionRequest,
  nowMs: number,
): Promise<SessionRequest> {
  const { previousSessionId } = request;
  const state = linkStateOf(link, nowMs);
  if (previousSessionId === undefined && state !== 'alive') throw ended(state);
  if (previousSessionId !== undefined && (await findSession(database, previousSessionId))?.linkId !== link.linkId)
    throw notFound('previous session');
  return {
    ...request,
    metadata: { ...request.metadata, ...link.metadata },
    ...(link.studyId === null ? {} : { studyId: link.studyId }),
    ...(link.respondentId === null ? {} : { respondentId: link.respondentId }),
  };
}

/** In the transaction that completes a session: its first try takes a use of its link. Throws LINK_ENDED where others took the last. */
export async function countLinkUse(tx: Queryable, { linkId, retryCount }: StoredSession): Promise<void> {
  if (linkId === null || retryCount > 0) return;
  if (!(await takeLinkUse(tx, linkId))) throw ended('used_up');
}

const ended = (reason: LinkState): Fault =>
  new Fault('LINK_ENDED', 'This link starts no verification any more. Make another one.', { context: { reason } });
