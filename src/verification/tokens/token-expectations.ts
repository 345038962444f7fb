/**
 * Expectations of a backend beyond a genuine token: its respondent, its evidence, and that its pass is spent on one thing only.
 * The first use of a session’s tokens is kept with the session, in one statement, so that of two at once one gets it.
 */
import { createHash } from 'node:crypto';
import type { Expectations, TokenReply, TokenVerification } from '../../contract/token.js';
import type { Database } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { TokenAudience, VerifyToken } from './verification-token.js';

export type CheckToken = (caller: TokenAudience, asked: TokenVerification) => Promise<TokenReply>;

export interface TokenCheckDeps {
  readonly database: Database;
  readonly verifyToken: VerifyToken;
}

export function createTokenCheck({ database, verifyToken }: TokenCheckDeps): CheckToken {
  return async (caller, { token, ...expected }) => {
    const reply = await verifyToken(caller, token ?? '');
    if (!reply.success) return reply;
    const field = findUnmet(reply, expected);
    if (field !== null) return { success: false, error: 'EXPECTATION_FAILED', field };
    const { use } = expected;
    const error = use === undefined ? null : await spend(database, caller.organizationId, reply.sessionId ?? '', use);
    return error === null ? reply : { success: false, error, field: 'use' };
  };
}

/** In the order in which they are documented. The token of a step-up is for one score, and no participation: whoever expects anything names its receipt, too. */
function findUnmet(reply: TokenReply, expected: Omit<TokenVerification, 'token'>): keyof Expectations | null {
  const { studyId, respondentId, dataCollector, minimumAssurance, stepUpFor } = expected;
  if (studyId !== undefined && reply.studyId !== studyId) return 'studyId';
  if (respondentId !== undefined && reply.respondentId !== respondentId) return 'respondentId';
  if (dataCollector !== undefined && reply.dataCollector !== dataCollector) return 'dataCollector';
  const enough = minimumAssurance === 'biometric' ? ['biometric'] : ['biometric', 'device_only'];
  if (minimumAssurance !== undefined && !enough.includes(reply.assuranceLevel ?? 'none')) return 'minimumAssurance';
  const isAsked = Object.values(expected).some((value) => value !== undefined);
  return isAsked && reply.stepUpFor !== stepUpFor ? 'stepUpFor' : null;
}

/** null where the pass is spent on this use, now or before. */
async function spend(database: Database, organizationId: string, sessionId: string, use: string) {
  const hash = createHash('sha256').update(use).digest();
  const [session] = await inOrganization(database, organizationId, (tx) =>
    tx.query<{ isOwn: boolean }>(
      `UPDATE verification_sessions SET use_hash = coalesce(use_hash, $2) WHERE session_id = $1 RETURNING use_hash = $2 AS "isOwn"`,
      [sessionId, hash],
      { recurring: true },
    ),
  );
  if (session === undefined) return 'SESSION_ERASED';
  return session.isOwn ? null : 'ALREADY_USED';
}
