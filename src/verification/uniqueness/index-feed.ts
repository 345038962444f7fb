/**
 * Fills the index from the database, in pages, and keeps it current by the table of changes, whichever instance made them.
 *
 *   filling ──(last page)──▶ current ──(slept past what is kept)──▶ filling
 *
 * `horizon` is what the index can vouch for: every participation by a transaction before it is in. Comparisons look up the rest
 * themselves, so a feed that lags makes them slower, never wrong. While the database is away the feed stands still and goes on later.
 */
import { startRounds } from '../../stores/rounds.js';
import type { Logger } from '../../telemetry/logger.js';
import type { FaceIndex } from './face-index.js';
import type { FingerprintStore } from './fingerprint-store.js';

export interface IndexFeed {
  /** null while the index is being filled. */
  horizon(): string | null;
  /** Reads what has changed up to now. */
  poll(): Promise<void>;
  /** Time since the last successful look. */
  ageMs(): number;
  close(): Promise<void>;
}

/** The feed of a process without models: no face is compared, so it reads nothing and awaits nothing. */
export const idleFeed: IndexFeed = {
  horizon: () => '0',
  poll: () => Promise.resolve(),
  ageMs: () => 0,
  close: () => Promise.resolve(),
};

export interface IndexFeedDeps {
  readonly store: FingerprintStore;
  readonly createIndex: () => FaceIndex;
  /** Called with an index that is whole. */
  readonly onFilled: (index: FaceIndex) => void;
  readonly logger: Logger;
  readonly intervalMs: number;
  /** Monotonic. */
  readonly now: () => number;
}

const pageMax = 500;
/** Changes are kept this long; an instance that slept for half of it fills its index again. */
const keepMinutes = 60;

export function openIndexFeed(deps: IndexFeedDeps): IndexFeed {
  const { store, logger, now } = deps;
  let index: FaceIndex | null = null;
  let horizon = '0';
  let lookedAtMs = now();
  let applied = new Set<number>();
  let isClosed = false;
  let running: Promise<void> = Promise.resolve();

  async function fill(): Promise<void> {
    const startedAtMs = now();
    const filling = deps.createIndex();
    const from = await store.horizon();
    let after = 0;
    for (;;) {
      const page = await store.page(after, pageMax);
      for (const found of page) filling.put(found.number, found);
      after = page.at(-1)?.number ?? after;
      if (isClosed) return;
      if (page.length < pageMax) break;
    }
    horizon = from;
    applied = new Set();
    index = filling;
    deps.onFilled(filling);
    logger.info({ faces: filling.size(), ms: Math.round(now() - startedAtMs) }, 'face index ready');
  }

  /** A change whose transaction is not yet before the horizon is read again each time, and applied once. */
  async function follow(into: FaceIndex): Promise<void> {
    const fresh = new Set<number>();
    let next: string | null = null;
    let after = 0;
    for (;;) {
      const page = await store.changes(horizon, after, pageMax);
      next ??= page.horizon;
      for (const { change, number, found } of page.changes) {
        fresh.add(change);
        if (!applied.has(change)) into.put(number, found);
      }
      after = page.changes.at(-1)?.change ?? after;
      if (page.changes.length < pageMax || isClosed) break;
    }
    applied = fresh;
    horizon = next;
  }

  async function look(): Promise<void> {
    if (isClosed) return;
    if (index !== null && now() - lookedAtMs > (keepMinutes * 60_000) / 2) index = null;
    if (index === null) await fill();
    if (index !== null) await follow(index);
    lookedAtMs = now();
  }

  const poll = (): Promise<void> => (running = running.then(look, look));
  const onError = (error: unknown): void => logger.warn({ err: error }, 'face index update failed; retrying');
  const polling = startRounds({ everyMs: deps.intervalMs, firstMs: 0, work: poll, onError });
  const trimming = startRounds({ everyMs: keepMinutes * 60_000, work: () => store.trimChanges(keepMinutes), onError });
  return {
    horizon: () => (index === null ? null : horizon),
    poll,
    ageMs: () => now() - lookedAtMs,
    async close() {
      isClosed = true;
      void polling.stop();
      void trimming.stop();
      await running.catch(() => undefined);
    },
  };
}
