/**
 * Decides the target of a redirect at the moment of the redirect, from the project’s current settings: never from anything that a page or a
 * code carries. An administrator set the address, so the allow-list of embedding origins has no say in it. A session has at most one code, the last that was made: 32
 * random bytes, kept as SHA-256, good once and for five minutes.
 */
import { createHash } from 'node:crypto';
import type { Environment } from '../../config/settings.js';
import type { ProjectFields } from '../../contract/project.js';
import type { VerdictDispatch } from '../../contract/verdict.js';
import { redirectProblem } from '../../net/web-address.js';
import type { Queryable } from '../../stores/database/port.js';
import type { Randomness } from '../sessions/challenges.js';

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

const codeBytes = 32;
const lifetimeMs = 300_000;
const hashCode = (code: string): Buffer => createHash('sha256').update(code).digest();

export async function makeRedirectCode(
  database: Queryable,
  sessionId: string,
  random: Randomness,
  nowMs: number,
): Promise<string> {
  const code = random.bytes(codeBytes).toString('base64url');
  await database.query(
    'UPDATE verification_sessions SET redirect_code_hash = $2, redirect_until = $3 WHERE session_id = $1 AND completed_at IS NOT NULL',
    [sessionId, hashCode(code), new Date(nowMs + lifetimeMs)],
  );
  return code;
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
