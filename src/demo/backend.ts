/**
 * What a customer’s backend does with a finished interview, in one pure function: from the visit to the scoring request.
 * Never fails; whatever is wrong with a value, the scoring call itself says so.
 */
import { createHash } from 'node:crypto';
import type { ScoreRequest } from '../contract/score.js';
import { userAgentLengthMax } from '../limits.js';

export interface DemoVisit {
  readonly sessionId: string;
  /** The random id that the browser keeps; only its salted hash goes on. */
  readonly visitorId: string;
  readonly declaredCountry: string | undefined;
  /** Address of the peer, as the socket names it. */
  readonly peerAddress: string;
  readonly userAgent: string | undefined;
}

/** Always in this order of fields: an identical retry is one whose body is the same. */
export function buildScoreRequest(visit: DemoVisit, salt: string): ScoreRequest {
  return {
    sessionId: visit.sessionId,
    clientIp: plainAddress(visit.peerAddress),
    ...(visit.userAgent === undefined ? {} : { userAgent: visit.userAgent.slice(0, userAgentLengthMax) }),
    studyId: 'demo-study',
    sourceId: 'demo-page',
    respondentId: createHash('sha256').update(`${salt}|${visit.visitorId}`).digest('hex'),
    ...(visit.declaredCountry === undefined ? {} : { declaredCountry: visit.declaredCountry }),
  };
}

/** A socket writes IPv4 mapped into IPv6 and adds a zone to a link’s own addresses; the request takes neither. */
function plainAddress(text: string): string {
  return text.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}
