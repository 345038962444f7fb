/**
 * Cached records, and the feed of changes that keeps them fresh.
 *
 * The cache is bounded, in front of a loader, single-flight, and never gives a stale record after `drop`: a load that began before the drop is not
 * kept. Absent records are not cached, so that a new one is found at once. The feed reports every committed change to organizations, projects and
 * keys, and every erased session, within the polling interval, whichever instance made it; a change may be reported twice, never missed. While the database is away nothing
 * can change; the feed goes on where it stood when it is back.
 */
import { createBoundedCache } from '../bounded-cache.js';
import type { Database } from '../stores/database/port.js';
import { readHorizon } from '../stores/database/server.js';
import { settleWithin } from '../stores/notifier.js';
import { startRounds } from '../stores/rounds.js';
import type { Logger } from '../telemetry/logger.js';

export interface Directory<T extends object> {
  get(id: string): Promise<T | null>;
  drop(id: string): void;
  /** Forgets everything, least recently used first and in portions, so that the database is not asked for all of it at once. */
  clear(): Promise<void>;
}

export interface DirectoryOptions {
  /** Whether what is cached may be too old to go by: it is loaded again, and where that fails, so does the call. */
  readonly isStale?: () => boolean;
  /** Between two portions of `clear`. */
  readonly portionEveryMs?: number;
}

const portionMax = 1_000;
const portionEveryMsDefault = 200;

export function createDirectory<T extends object>(
  entriesMax: number,
  load: (id: string) => Promise<T | null>,
  { isStale = () => false, portionEveryMs = portionEveryMsDefault }: DirectoryOptions = {},
): Directory<T> {
  const cache = createBoundedCache<T>(entriesMax);
  const loading = new Map<string, Promise<T | null>>();
  let drops = 0;

  async function loadOnce(id: string): Promise<T | null> {
    const dropsBefore = drops;
    const record = await load(id);
    if (record !== null && drops === dropsBefore) cache.set(id, record);
    return record;
  }

  function dropPortion(ids: readonly string[]): void {
    drops += 1;
    for (const id of ids) cache.delete(id);
  }

  return {
    get(id) {
      const cached = isStale() ? undefined : cache.get(id);
      if (cached !== undefined) return Promise.resolve(cached);
      const pending = loading.get(id);
      if (pending !== undefined) return pending;
      const started = loadOnce(id).finally(() => loading.get(id) === started && loading.delete(id));
      loading.set(id, started);
      return started;
    },
    drop(id) {
      drops += 1;
      cache.delete(id);
      loading.delete(id);
    },
    async clear() {
      loading.clear();
      const ids = [...cache.rkeys()];
      dropPortion(ids.slice(0, portionMax));
      for (let start = portionMax; start < ids.length; start += portionMax) {
        await new Promise<void>((resolve) => setTimeout(resolve, portionEveryMs).unref());
        dropPortion(ids.slice(start, start + portionMax));
      }
    },
  };
}

/** session: one that was erased. */
export type ChangeKind = 'organization' | 'project' | 'key' | 'session';

export interface ChangeFeedDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly onChange: (kind: ChangeKind, subject: string) => void;
  /** Called when the feed may have missed changes: everything cached may be stale. */
  readonly onGap: () => void;
  /** Milliseconds that only go up. */
  readonly elapsed?: () => number;
}

const pageMax = 1_000;
const closeMsMax = 500;
/** Changes are kept this long; an instance that slept longer starts over with empty caches. */
const keepMinutes = 60;

export async function openChangeFeed(deps: ChangeFeedDeps) {
  const { database, elapsed = () => performance.now() } = deps;
  let horizon = await readHorizon(database);
  let polledAtMs = elapsed();
  let running: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const nowMs = elapsed();
    if (nowMs - polledAtMs > (keepMinutes * 60_000) / 2) {
      horizon = await readHorizon(database);
      deps.onGap();
    } else {
      horizon = await notifySince(deps, horizon);
    }
    polledAtMs = nowMs;
  }

  const poll = (): Promise<void> => (running = running.then(look, look));
  const polling = startRounds({
    everyMs: deps.intervalMs,
    work: poll,
    onError: (error) => deps.logger.warn({ err: error }, 'reading the change feed failed; retrying'),
  });
  const trimming = startRounds({
    everyMs: keepMinutes * 60_000,
    work: () => database.query(`DELETE FROM changes WHERE changed_at < now() - interval '${keepMinutes} minutes'`),
  });
  return {
    /** Polls now; resolves when everything committed so far was reported. */
    poll,
    /** Time since everything committed had been reported. */
    ageMs: (): number => elapsed() - polledAtMs,
    async close(): Promise<void> {
      void polling.stop();
      void trimming.stop();
      // A look has nothing to finish: where the database hangs it is left behind.
      await settleWithin(running, closeMsMax, 'change feed').catch(() => undefined);
    },
  };
}

/** Reports changes from a horizon on, a page at a time. Resolves to the next horizon, taken first, so that later commits are not missed. */
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
