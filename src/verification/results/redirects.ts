/**
 * Decides the target of a redirect at the moment of the redirect, from the project’s current settings: never from anything that a page or a
 * code carries. An administrator set the address, so the allow-list of embedding origins has no say in it. A session has at most one code, good once and for
 * five minutes: reading the result again returns it again. It follows from the client secret, and only its SHA-256 is kept.
 */
import { createHash, createHmac } from 'node:crypto';
import type { Environment } from '../../config/settings.js';
import type { ProjectFields } from '../../contract/project.js';
import type { VerdictDispatch } from '../../contract/verdict.js';
import { redirectProblem } from '../../net/web-address.js';
import type { Queryable } from '../../stores/database/port.js';

/** The address for an outcome, or null where the project has no redirect (any more) that may be followed. Both must be set. */
export function redirectTarget(
  { scoreModeConfig = {}, verificationMode }: Pick<ProjectFields, 'scoreModeConfig' | 'verificationMode'>,
  environment: Environment,
  outcome: 'pass' | 'fail',
): URL | null {
  const { redirectPassUrl: pass, redirectFailUrl: fail } = scoreModeConfig;
  const isSafe = (text: string | undefined): text is string =>
    text !== undefined && redirectProblem(text, environment) === null;
  if (verificationMode !== 'score' || !isSafe(pass) || !isSafe(fail)) return null;
  return new URL(outcome === 'pass' ? pass : fail);
}

/** A fence or a failed verdict leads to the fail address; a session to be reviewed is not refused by being redirected. */
export const redirectOutcome = (
  { status }: Pick<VerdictDispatch, 'status'>,
  verdict: 'pass' | 'fail' | 'review',
): 'pass' | 'fail' => (status === 'score_blocked' || status === 'fail' || verdict === 'fail' ? 'fail' : 'pass');

const lifetimeMs = 300_000;
const hashCode = (code: string): Buffer => createHash('sha256').update(code).digest();

const codeOf = (clientSecret: string, sessionId: string, untilMs: number): string =>
  createHmac('sha256', clientSecret).update(`redirect\n${sessionId}\n${untilMs}`).digest('base64url');

/** The code of a completed session: the one that is neither used nor expired, else a new one. */
export async function takeRedirectCode(
  database: Queryable,
  { sessionId, clientSecret }: { readonly sessionId: string; readonly clientSecret: string },
  nowMs: number,
): Promise<string> {
  const until = new Date(nowMs + lifetimeMs);
  const hash = hashCode(codeOf(clientSecret, sessionId, until.getTime()));
  const isOpen = 'redirect_code_hash IS NOT NULL AND redirect_until > $4';
  const [row] = await database.query<{ until: Date }>(
    `UPDATE verification_sessions SET
       redirect_code_hash = CASE WHEN ${isOpen} THEN redirect_code_hash ELSE $2 END,
       redirect_until = CASE WHEN ${isOpen} THEN redirect_until ELSE $3 END
      WHERE session_id = $1 AND completed_at IS NOT NULL RETURNING redirect_until AS until`,
    [sessionId, hash, until, new Date(nowMs)],
  );
  return codeOf(clientSecret, sessionId, (row?.until ?? until).getTime());
}

/** Uses the code up; false where it is not the session’s, was used, or is too old. */
export async function useRedirectCode(
  database: Queryable,
  sessionId: string,
  code: string,
  nowMs: number,
): Promise<boolean> {
  const rows = await database.query(
    `UPDATE verification_sessions SET redirect_code_hash = NULL, redirect_until = NULL
      WHERE session_id = $1 AND redirect_code_hash = $2 AND redirect_until > $3 RETURNING session_id`,
    [sessionId, hashCode(code), new Date(nowMs)],
  );
  return rows.length > 0;
}
