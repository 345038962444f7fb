/**
 * Sessions that start on the hosted page: which link they come through, and what it puts into them.
 */
import { notFound } from '../../kernel/faults.js';
import {
  findLink,
  linkStateOf,
  takeLinkSession,
  takeLinkUse,
  type HostedLink,
} from '../../administration/hosted-links.js';
import type { LinkState } from '../../contract/hosted-link.js';
import type { Verdict } from '../../contract/verdict.js';
import { Fault } from '../../errors.js';
import type { Queryable } from '../../stores/database/port.js';
import type { SessionRequest } from './session-service.js';
import type { StoredSession } from './session-store.js';

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
 * What is created of a request through a link: the link’s own values stand over those of the page. Throws LINK_ENDED; who failed may try
 * again after the link expired or was deleted, and not once its passes are taken.
 */
export function throughLink<R extends SessionRequest>(link: HostedLink, request: R, nowMs: number): R {
  const state = linkStateOf(link, nowMs);
  const isRetry = request.previousSessionId !== undefined;
  if (state === 'used_up' || (state !== 'alive' && !isRetry)) throw ended(state);
  return {
    ...request,
    metadata: { ...request.metadata, ...link.metadata },
    ...(link.studyId === null ? {} : { studyId: link.studyId }),
    ...(link.respondentId === null ? {} : { respondentId: link.respondentId }),
  };
}

type Linked = Pick<StoredSession, 'linkId' | 'mode'>;

/** Sessions of test and demo keys use nothing up. */
const countedLink = ({ linkId, mode }: Linked): string | null => (mode === 'live' ? linkId : null);

/** In the transaction that creates a session. Throws LINK_ENDED where others took the last use. */
export async function countLinkSession(tx: Queryable, session: Linked): Promise<void> {
  const linkId = countedLink(session);
  if (linkId !== null && !(await takeLinkSession(tx, linkId))) throw ended('used_up');
}

/** In the transaction that completes a session: one that did not fail takes a use of its link. Throws LINK_ENDED where others took the last. */
export async function countLinkUse(tx: Queryable, session: Linked, status: Verdict['status']): Promise<void> {
  const linkId = countedLink(session);
  if (linkId !== null && !(await takeLinkUse(tx, linkId, Number(status !== 'fail')))) throw ended('used_up');
}

const ended = (reason: LinkState): Fault =>
  new Fault('LINK_ENDED', 'This link starts no verification any more. Make another one.', { context: { reason } });
