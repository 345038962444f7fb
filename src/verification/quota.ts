/**
 * The monthly quota of verifications: completed sessions, by the month of UTC in which they completed, without those that an anonymous page failed
 * at no effort. Sessions of test and demo keys are counted separately and have no quota. The count is taken in the transaction that completes the
 * session, so that two at the limit cannot both pass.
 * Anonymous sessions leave a part of the month to those that a backend made or a link named: half of the quota, evenly over what is left of the
 * month. A flood of anonymous passes therefore refuses no named session of an organization whose named ones need no more than that.
 * All completions of an organization count in one row of the month, taken in the message that commits, so that they wait for commits only.
 */
import pg from 'pg';
import type { SessionMode } from '../contract/common.js';
import { Fault } from '../errors.js';
import { DatabaseConflict, type Queryable } from '../stores/database/port.js';

export interface Usage {
  readonly organizationId: string;
  readonly mode: SessionMode;
  /** Whether a backend made the session or a link named its respondent. */
  readonly isNamed: boolean;
  /** Verifications a month; null: no limit. */
  readonly monthlyQuota: number | null;
  readonly nowMs: number;
}

/** The part of the quota that is kept for named sessions at the beginning of a month. */
const namedShare = 1 / 2;

/** When the month began, and the next begins. */
function monthOf(nowMs: number): { readonly startMs: number; readonly endMs: number } {
  const now = new Date(nowMs);
  const first = (offset: number): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1);
  return { startMs: first(0), endMs: first(1) };
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Verifications of the month, of all kinds, below which an anonymous session completes. Use that is spread evenly reaches the quota. */
export function anonymousLimitOf(quota: number, nowMs: number): number {
  const { startMs, endMs } = monthOf(nowMs);
  return quota - Math.floor((quota * namedShare * (endMs - nowMs)) / (endMs - startMs));
}

/** The next full second in which an anonymous session completes after so many. */
export function freeAgainAt(quota: number, used: number, nowMs: number): number {
  const { startMs, endMs } = monthOf(nowMs);
  const leftMs = ((quota - used) / (namedShare * quota)) * (endMs - startMs);
  return used >= quota ? endMs : Math.min(endMs, (Math.floor((endMs - leftMs) / 1_000) + 1) * 1_000);
}

/** The verifications of the month below which this session completes; null where there is no limit. */
function limitOf({ mode, monthlyQuota, isNamed, nowMs }: Usage): number | null {
  if (mode !== 'live' || monthlyQuota === null) return null;
  return isNamed ? monthlyQuota : anonymousLimitOf(monthlyQuota, nowMs);
}

/**
 * Runs `complete`, which ends its transaction with the statement that it is given: that counts one verification. Throws QUOTA_EXCEEDED where the
 * month’s are used up, or those of anonymous sessions so far, and nothing of the transaction holds.
 */
export async function withQuota<T>(
  database: Queryable,
  usage: Usage,
  complete: (closing: string) => Promise<T>,
): Promise<T> {
  const limit = limitOf(usage);
  if (limit === 0) throw quotaExceeded(usage, 0);
  try {
    return await complete(countOne(usage, limit));
  } catch (error) {
    if (limit === null || !isUsedUp(error)) throw error;
    await requireQuota(database, usage);
    throw quotaExceeded(usage, limit);
  }
}

/** No month counts less than nothing: the table’s own check refuses what is counted beyond the limit. */
function countOne({ organizationId, mode, nowMs }: Usage, limit: number | null): string {
  const more = limit === null ? 'u.used + 1' : `CASE WHEN u.used < ${limit} THEN u.used + 1 ELSE -1 END`;
  return `INSERT INTO verification_usage AS u (organization_id, month, is_demo, used)
          VALUES (${pg.escapeLiteral(organizationId)}, '${dayOf(monthOf(nowMs).startMs)}', ${String(mode !== 'live')}, 1)
          ON CONFLICT (organization_id, month, is_demo) DO UPDATE SET used = ${more}`;
}

const isUsedUp = (error: unknown): boolean =>
  error instanceof DatabaseConflict && error.constraint === 'verification_usage_used_check';

/** Throws QUOTA_EXCEEDED where nothing is left, so that nobody goes through a camera check in vain. Counts nothing. */
export async function requireQuota(database: Queryable, usage: Usage): Promise<void> {
  const limit = limitOf(usage);
  if (limit === null) return;
  const [row] = await database.query<{ used: number }>(
    'SELECT used FROM verification_usage WHERE organization_id = $1 AND month = $2::date AND NOT is_demo',
    [usage.organizationId, dayOf(monthOf(usage.nowMs).startMs)],
  );
  const used = row?.used ?? 0;
  if (used >= limit) throw quotaExceeded(usage, used);
}

function quotaExceeded({ monthlyQuota, nowMs }: Usage, used: number): Fault {
  const limit = monthlyQuota ?? 0;
  const resetMs = freeAgainAt(limit, used, nowMs);
  const resetDate = new Date(resetMs).toISOString();
  return new Fault(
    'QUOTA_EXCEEDED',
    used >= limit
      ? `The monthly limit of ${limit} verifications is used up. Wait until ${dayOf(resetMs)} or upgrade.`
      : `The rest of the monthly limit is kept for sessions of your backend. Create sessions there, or wait until ${resetDate}.`,
    {
      context: { limit, usage: used, resetDate },
      headers: { 'retry-after': String(Math.max(1, Math.ceil((resetMs - nowMs) / 1_000))) },
    },
  );
}
