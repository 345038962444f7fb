/**
 * Tells this process of every committed change to organizations, projects and keys within the polling interval,
 * whichever instance made it. A change may be told twice, never missed. While the database is away nothing can change;
 * the feed goes on where it stood when it is back.
 */
import type { Database } from '../stores/database/port.js';
import type { Logger } from '../telemetry/logger.js';

export type ChangeKind = 'organization' | 'project' | 'key';

export interface ChangeFeedDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly onChange: (kind: ChangeKind, subject: string) => void;
  /** Called when the feed cannot tell what it missed: everything cached may be stale. */
  readonly onGap: () => void;
}

export interface ChangeFeed {
  /** Looks now; resolves when everything committed so far was told. */
  poll(): Promise<void>;
  close(): Promise<void>;
}

const pageMax = 1_000;
/** Changes are kept this long; an instance that slept longer starts over with empty caches. */
const keepMinutes = 60;

export async function openChangeFeed(deps: ChangeFeedDeps): Promise<ChangeFeed> {
  let horizon = await currentHorizon(deps.database);
  let polledAtMs = Date.now();
  let running: Promise<void> = Promise.resolve();
  let closed = false;

  async function look(): Promise<void> {
    const rows = await deps.database.query<{ kind: ChangeKind; subject: string; next: string }>(
      `SELECT kind, subject, pg_snapshot_xmin(pg_current_snapshot())::text AS next FROM changes WHERE transaction >= $1::xid8
       UNION ALL SELECT '', '', pg_snapshot_xmin(pg_current_snapshot())::text LIMIT ${pageMax}`,
      [horizon],
    );
    const now = Date.now();
    if (rows.length >= pageMax || now - polledAtMs > (keepMinutes * 60_000) / 2) {
      horizon = await currentHorizon(deps.database);
      deps.onGap();
    } else {
      horizon = rows.at(-1)?.next ?? horizon;
      for (const { kind, subject } of rows) if (subject !== '') deps.onChange(kind, subject);
    }
    polledAtMs = now;
  }

  const poll = (): Promise<void> => (running = running.then(look, look));
  const timer = setInterval(() => {
    poll().catch((error: unknown) =>
      deps.logger.warn({ err: error }, 'the change feed could not read; it tries again'),
    );
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
    async close() {
      closed = true;
      clearInterval(timer);
      clearInterval(trimmer);
      await running.catch(() => undefined);
    },
  };
}

async function currentHorizon(database: Database): Promise<string> {
  const [row] = await database.query<{ horizon: string }>(
    'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon',
  );
  return row?.horizon ?? '0';
}
