/**
 * One-time codes of redirects: 32 random bytes, kept as SHA-256, good once and for five minutes. A session has at most one: the one that was
 * handed out last.
 */
import { createHash } from 'node:crypto';
import type { Queryable } from '../../stores/database/port.js';
import type { Randomness } from '../sessions/challenges.js';

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
