/**
 * Where a redirect leads, decided at the moment of the redirect from the project as it then stands: never from anything that a page or a
 * code carries. An address that the project’s rules would not take today is none. A session has at most one code, the last that was made: 32
 * random bytes, kept as SHA-256, good once and for five minutes.
 */
import { createHash } from 'node:crypto';
import type { ScoreModeConfig } from '../../contract/project-parts.js';
import type { VerdictDispatch } from '../../contract/verdict.js';
import type { Queryable } from '../../stores/database/port.js';
import type { Randomness } from '../sessions/challenges.js';

export interface RedirectRules {
  readonly scoreModeConfig: ScoreModeConfig;
  readonly verificationMode: 'block' | 'score';
  /** Whether the allow-list in force takes an origin. */
  readonly isAllowed: (origin: string) => boolean;
  /** Development lets plain http to this machine pass. */
  readonly allowLocalHttp: boolean;
}

/** The address for an outcome, or null where the project has no redirect (any more) that may be followed. Both must be set and allowed. */
export function redirectTarget(
  { scoreModeConfig, verificationMode, isAllowed, allowLocalHttp }: RedirectRules,
  outcome: 'pass' | 'fail',
): URL | null {
  if (verificationMode !== 'score') return null;
  const [pass, fail] = [scoreModeConfig.redirectPassUrl, scoreModeConfig.redirectFailUrl].map((text) =>
    text === undefined || !URL.canParse(text) ? null : new URL(text),
  );
  const isSafe = (url: URL | null | undefined): url is URL =>
    url !== null && url !== undefined && isSafeScheme(url, allowLocalHttp) && isAllowed(url.origin);
  if (!isSafe(pass) || !isSafe(fail)) return null;
  return outcome === 'pass' ? pass : fail;
}

/** A fence or a failed verdict leads to the fail address; a session to be reviewed is not refused by being redirected. */
export const redirectOutcome = (
  { status }: Pick<VerdictDispatch, 'status'>,
  verdict: 'pass' | 'fail' | 'review',
): 'pass' | 'fail' => (status === 'score_blocked' || status === 'fail' || verdict === 'fail' ? 'fail' : 'pass');

function isSafeScheme({ protocol, hostname, username, password }: URL, allowLocalHttp: boolean): boolean {
  if (username !== '' || password !== '') return false;
  if (protocol === 'https:') return true;
  return allowLocalHttp && protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

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
