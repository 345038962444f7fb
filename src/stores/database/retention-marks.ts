/**
 * How far deletion by age may go: by the database’s clock, a day further at a time, and not at all where more than a week is due at once
 * and no operator allowed it. A wrong clock, or a lifetime that was set much shorter, then costs at most a day before somebody looks.
 */
import type { Database } from './port.js';
import { readClock } from './server.js';

const dayMs = 86_400_000;
/** What is due without having been deleted for longer than this was not left over by a stop of some days. */
const overdueDaysMax = 7;

export interface RetentionGuard {
  readonly keepDays: number;
  /** Whether anything is past its lifetime as of this time, milliseconds since 1970. */
  readonly isDue: (nowMs: number) => Promise<boolean>;
}

export interface RetentionMark {
  readonly what: string;
  /** ISO 8601; null before the first deletion. */
  readonly deletedBefore: string | null;
  /** Deletion stands still until it is allowed up to this time; null where it does not. */
  readonly waitsFor: string | null;
}

/**
 * As of when (milliseconds since 1970) deletion goes by now; null where it stands still until an operator allows more.
 * `noteDeleted` tells that it was done.
 */
export async function advance(database: Database, what: string, guard: RetentionGuard): Promise<number | null> {
  const { keepDays, isDue } = guard;
  const keepMs = keepDays * dayMs;
  const dueBefore = (await readClock(database)) - keepMs;
  const overdueBefore = dueBefore - overdueDaysMax * dayMs;
  const [row] = await database.query<{ deleted: Date | null; allowed: Date | null }>(
    'SELECT deleted_before AS deleted, allowed_before AS allowed FROM retention_marks WHERE what = $1',
    [what],
  );
  const allowed = Math.min(dueBefore, row?.allowed?.getTime() ?? -Infinity);
  const mark = row?.deleted?.getTime() ?? -Infinity;
  if (mark >= overdueBefore) return Math.max(allowed, Math.min(dueBefore, mark + dayMs)) + keepMs;
  // Where nothing is due so far back, nothing was left undone: there was nothing to do.
  if (!(await isDue(overdueBefore + keepMs))) return Math.min(dueBefore, overdueBefore + dayMs) + keepMs;
  if (allowed > mark) return allowed + keepMs;
  await database.query(
    `INSERT INTO retention_marks (what, waits_for) VALUES ($1, $2) ON CONFLICT (what) DO UPDATE SET waits_for = excluded.waits_for`,
    [what, new Date(dueBefore)],
  );
  return null;
}

/** Notes that everything past its lifetime as of `nowMs` was deleted. An operator's word was for that, and is good for nothing that falls due later. */
export async function noteDeleted(database: Database, what: string, nowMs: number, keepDays: number): Promise<void> {
  await database.query(
    `INSERT INTO retention_marks AS m (what, deleted_before) VALUES ($1, $2)
     ON CONFLICT (what) DO UPDATE SET waits_for = NULL, allowed_before = NULL, deleted_before = greatest(m.deleted_before, excluded.deleted_before)`,
    [what, new Date(nowMs - keepDays * dayMs)],
  );
}

/** An operator’s word: deletion of `what` may go up to this time at once. False where nothing of that name was ever deleted or waits. */
export async function allowDeletion(database: Database, what: string, before: Date): Promise<boolean> {
  const rows = await database.query(
    'UPDATE retention_marks SET allowed_before = greatest(allowed_before, $2) WHERE what = $1 RETURNING 1',
    [what, before],
  );
  return rows.length > 0;
}

export async function readMarks(database: Database): Promise<readonly RetentionMark[]> {
  const rows = await database.query<{ what: string; deleted: Date | null; waits: Date | null }>(
    'SELECT what, deleted_before AS deleted, waits_for AS waits FROM retention_marks ORDER BY what',
  );
  return rows.map(({ what, deleted, waits }) => ({
    what,
    deletedBefore: deleted?.toISOString() ?? null,
    waitsFor: waits?.toISOString() ?? null,
  }));
}
