/**
 * Tells this process of every committed change to organizations, projects and keys within the polling interval,
 * whichever instance made it. A change may be told twice, never missed. While the database is away nothing can change;
 * the feed goes on where it stood when it is back.
 */
import type { Database } from '../stores/database/port.js';
import { settleWithin } from '../stores/settle-within.js';
import type { Logger } from '../telemetry/logger.js';

export type ChangeKind = 'organization' | 'project' | 'key';

export interface ChangeFeedDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly onChange: (kind: ChangeKind, subject: string) => void;
  /** Called when the feed cannot tell what it missed: everything cached may be stale. */
  readonly onGap: () => void;
  /** Milliseconds that only go up. */
  readonly elapsed?: () => number;
}

export interface ChangeFeed {
  /** Looks now; resolves when everything committed so far was told. */
  poll(): Promise<void>;
  /** How long ago everything that was committed had been told. */
  ageMs(): number;
  close(): Promise<void>;
}

const pageMax = 1_000;
const closeMsMax = 500;
/** Changes are kept this long; an instance that slept longer starts over with empty caches. */
const keepMinutes = 60;

export async function openChangeFeed(deps: ChangeFeedDeps): Promise<ChangeFeed> {
  const { database, elapsed = () => performance.now() } = deps;
  let horizon = await currentHorizon(database);
  let polledAtMs = elapsed();
  let running: Promise<void> = Promise.resolve();
  let closed = false;

  async function look(): Promise<void> {
    const nowMs = elapsed();
    if (nowMs - polledAtMs > (keepMinutes * 60_000) / 2) {
      horizon = await currentHorizon(database);
      deps.onGap();
    } else {
      horizon = await notifySince(deps, horizon);
    }
    polledAtMs = nowMs;
  }

  const poll = (): Promise<void> => (running = running.then(look, look));
  let isLooking = false;
  const timer = setInterval(() => {
    // One that waits for the database stands for those that would queue behind it.
    if (isLooking) return;
    isLooking = true;
    poll()
      .finally(() => (isLooking = false))
      .catch((error: unknown) => deps.logger.warn({ err: error }, 'the change feed could not read; it tries again'));
  }, deps.intervalMs);
  const trimmer = setInterval(() => {
    if (!closed)
      deps.database
        .query(`DELETE FROM changes WHERE changed_at < now() - interval '${keepMinutes} minutes'`)
        .catch(() => undefined);
  }, keepMinutes * 60_000);
  timer.unref();
  trimmer.unref();
  return {
    poll,
    ageMs: () => elapsed() - polledAtMs,
    async close() {
      closed = true;
      clearInterval(timer);
      clearInterval(trimmer);
      // A look has nothing to finish: where the database hangs it is left behind.
      await settleWithin(running, closeMsMax, 'change feed').catch(() => undefined);
    },
  };
}

/**
 * Tells what changed from a horizon on, a page at a time however much it is; resolves to the horizon of the next look, which was taken first.
 * What commits meanwhile with a number before the page in hand is told by that look.
 */
async function notifySince({ database, onChange }: ChangeFeedDeps, horizon: string): Promise<string> {
  let next: string | null = null;
  let after = 0;
  for (;;) {
    const rows: readonly ChangeRow[] = await database.query<ChangeRow>(
      `SELECT change_id, kind, subject, pg_snapshot_xmin(pg_current_snapshot())::text AS next FROM changes
        WHERE transaction >= $1::xid8 AND change_id > $2 ORDER BY change_id LIMIT ${pageMax}`,
      [horizon, after],
    );
    next ??= rows[0]?.next ?? horizon;
    for (const { kind, subject } of rows) onChange(kind, subject);
    if (rows.length < pageMax) return next;
    after = rows.at(-1)?.change_id ?? after;
  }
}

interface ChangeRow {
  readonly change_id: number;
  readonly kind: ChangeKind;
  readonly subject: string;
  readonly next: string;
  readonly [column: string]: unknown;
}

async function currentHorizon(database: Database): Promise<string> {
  const [row] = await database.query<{ horizon: string }>(
    'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon',
  );
  return row?.horizon ?? '0';
}
