/**
 * The monthly quota of verifications: completed sessions, by the month of UTC in which they completed, without those that a page failed at no
 * effort. Sessions of test and demo keys are counted separately and have no quota. The count is taken in the transaction that completes the
 * session, so that two at the limit cannot both pass.
 * All completions of an organization count in one row of the month, taken in the message that commits, so that they wait for commits only.
 */
import pg from 'pg';
import type { SessionMode } from '../contract/common.js';
import { Fault } from '../errors.js';
import { DatabaseConflict, type Queryable } from '../stores/database/port.js';

export interface Usage {
  readonly organizationId: string;
  readonly mode: SessionMode;
  /** Verifications a month; null: no limit. */
  readonly monthlyQuota: number | null;
  readonly nowMs: number;
}

/** First day of the month, and of the next, as YYYY-MM-DD. */
function monthOf(nowMs: number): { readonly month: string; readonly next: string } {
  const now = new Date(nowMs);
  const first = (offset: number): string =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString().slice(0, 10);
  return { month: first(0), next: first(1) };
}

/** The quota that holds for a session; null where none does. */
const quotaOf = ({ mode, monthlyQuota }: Pick<Usage, 'mode' | 'monthlyQuota'>): number | null =>
  mode === 'live' ? monthlyQuota : null;

/**
 * Runs `complete`, which ends its transaction with the statement that it is given: that counts one verification. Throws QUOTA_EXCEEDED where the
 * month’s are used up, and nothing of the transaction holds.
 */
export async function withQuota<T>(usage: Usage, complete: (closing: string) => Promise<T>): Promise<T> {
  const quota = quotaOf(usage);
  if (quota === 0) throw quotaExceeded(0, 0, usage.nowMs);
  try {
    return await complete(countOne(usage, quota));
  } catch (error) {
    if (quota !== null && isUsedUp(error)) throw quotaExceeded(quota, quota, usage.nowMs);
    throw error;
  }
}

/** No month counts less than nothing: the table’s own check refuses what is counted beyond the quota. */
function countOne({ organizationId, mode, nowMs }: Usage, quota: number | null): string {
  const more = quota === null ? 'u.used + 1' : `CASE WHEN u.used < ${quota} THEN u.used + 1 ELSE -1 END`;
  return `INSERT INTO verification_usage AS u (organization_id, month, is_demo, used)
          VALUES (${pg.escapeLiteral(organizationId)}, '${monthOf(nowMs).month}', ${String(mode !== 'live')}, 1)
          ON CONFLICT (organization_id, month, is_demo) DO UPDATE SET used = ${more}`;
}

const isUsedUp = (error: unknown): boolean =>
  error instanceof DatabaseConflict && error.constraint === 'verification_usage_used_check';

/** Throws QUOTA_EXCEEDED where nothing is left, so that nobody goes through a camera check in vain. Counts nothing. */
export async function requireQuota(database: Queryable, usage: Usage): Promise<void> {
  const quota = quotaOf(usage);
  if (quota === null) return;
  const [row] = await database.query<{ used: number }>(
    'SELECT used FROM verification_usage WHERE organization_id = $1 AND month = $2::date AND NOT is_demo',
    [usage.organizationId, monthOf(usage.nowMs).month],
  );
  const used = row?.used ?? 0;
  if (used >= quota) throw quotaExceeded(quota, used, usage.nowMs);
}

function quotaExceeded(limit: number, usage: number, nowMs: number): Fault {
  const { next } = monthOf(nowMs);
  return new Fault(
    'QUOTA_EXCEEDED',
    `The monthly limit of ${limit} verifications is used up. Wait until ${next} or upgrade.`,
    {
      context: { limit, usage, resetDate: `${next}T00:00:00.000Z` },
      headers: { 'retry-after': String(Math.max(1, Math.ceil((Date.parse(next) - nowMs) / 1_000))) },
    },
  );
}
