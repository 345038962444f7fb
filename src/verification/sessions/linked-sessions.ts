/**
 * Sessions that start on the hosted page: which link they come through, and what it puts into them.
 */
import { dayMs } from '../../kernel/calendar-day.js';
import { invalid, notFound } from '../../kernel/faults.js';
import {
  findLink,
  linkStateOf,
  takeLinkSession,
  takeLinkUse,
  type HostedLink,
} from '../../administration/hosted-links.js';
import type { SessionMode } from '../../contract/common.js';
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

/** Throws VALIDATION_FAILED for a link of another mode: who may only try things out reads nothing of a live link. */
export function requireLinkMode(link: HostedLink | null, mode: SessionMode): void {
  if (link === null || link.mode === mode) return;
  const message = `is a ${link.mode} link, but the session is in ${mode} mode. Use a key of the link’s mode.`;
  throw invalid([{ path: '/linkId', message }]);
}

/** Throws LINK_ENDED for a link that starts no session any more, and no retry. */
export function requireAlive(link: HostedLink | null, nowMs: number): void {
  const state = link === null ? 'alive' : linkStateOf(link, nowMs);
  if (state !== 'alive') throw ended(state);
}

/** A session through a link takes its respondent and study from the link, never from the caller. */
export function throughLink(link: HostedLink, request: SessionRequest): SessionRequest {
  const { studyId: _study, respondentId: _respondent, dataCollector: _collector, ...own } = request;
  const { studyId, respondentId, dataCollector, metadata } = link;
  return {
    ...own,
    metadata,
    ...(studyId === null ? {} : { studyId }),
    ...(respondentId === null ? {} : { respondentId }),
    ...(dataCollector === null ? {} : { dataCollector }),
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

/** Failures of a respondent of links that count against the quota, in 24 hours. */
export const linkFailsPerDay = 10;

/** The failed sessions of a link’s respondent in the last 24 hours, through any link; at most `linkFailsPerDay`. */
export async function countLinkFails(
  database: Queryable,
  { projectId, respondentId }: Pick<StoredSession, 'projectId' | 'respondentId'>,
  nowMs: number,
): Promise<number> {
  const rows = await database.query(
    `SELECT 1 FROM verification_sessions
      WHERE project_id = $1 AND respondent_id = $2 AND link_id IS NOT NULL AND status = 'fail' AND completed_at > $3 LIMIT ${linkFailsPerDay}`,
    [projectId, respondentId, new Date(nowMs - dayMs)],
    { recurring: true },
  );
  return rows.length;
}

const ended = (reason: LinkState): Fault =>
  new Fault('LINK_ENDED', 'This link can’t start a verification any more. Create a new link.', { context: { reason } });
