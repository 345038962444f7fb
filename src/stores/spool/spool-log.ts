/**
 * A log whose receipts go to the local spool while it is away or slow.
 *
 *   direct ──an append fails, or takes too long──▶ spooling ──the log takes what was spooled, in good time──▶ direct
 *
 * An append of a receipt resolves when it is durable in either; it rejects with StoreUnavailable where neither takes it. An append that was
 * given up on may have reached the log all the same: it is then there twice, which the recorder of receipts counts once. A spooled receipt
 * is replayed in the background, also one that an earlier process left. Other topics go to the log alone.
 */
import { isUnavailable } from '../../errors.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Log, LogEntry } from '../log/port.js';
import { backoffMs, createNotifier, settleWithin } from '../notifier.js';
import { type Rounds, startRounds } from '../rounds.js';
import type { Spool } from './spool.js';

export interface SpoolLogDeps {
  readonly log: Log;
  readonly spool: Spool;
  readonly metrics: Pick<Metrics, 'spoolBytes' | 'spoolEntries' | 'spoolKept' | 'spoolKeptOldest'>;
  readonly logger: Logger;
  /** Longest that a receipt waits for the log. */
  readonly directMsMax?: number;
  /** How long files that were kept aside stay, by a clock that is not this machine's; without it they stay for good. */
  readonly keptLife?: { readonly days: number; readonly readClock: () => Promise<number> };
  /** How often it looks for files kept aside, in milliseconds. */
  readonly keptEveryMs?: number;
}

const directMsMaxDefault = 500;
const keptEveryMsDefault = 30_000;
const dayMs = 86_400_000;
/** A disk that refused a receipt may have room again later: retry after this time. */
const refusalMs = 5_000;
const pauseFirstMs = 100;
const pauseMsMax = 1_000;

export interface SpooledLog extends Log {
  /** False while the log is unavailable and the spool is full, or has just refused a receipt. */
  takesReceipts(): boolean;
  /** Whether receipts wait in the spool. */
  holdsReceipts(): boolean;
}

export function withSpool(deps: SpoolLogDeps): SpooledLog {
  const { log, spool, metrics, logger } = deps;
  const path = createPath(deps);
  const recovery = createRecovery(deps, path);
  let refusedAtMs = Number.NEGATIVE_INFINITY;

  const append = async (entries: readonly LogEntry[]): Promise<void> => {
    if (path.isDirect()) {
      try {
        return await settleWithin(log.append('scores', entries), deps.directMsMax ?? directMsMaxDefault, 'log');
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        path.leave(error);
      }
    }
    try {
      await spool.append(entries);
      metrics.spoolEntries.inc({ event: 'spooled' }, entries.length);
      metrics.spoolBytes.set(spool.bytes());
      refusedAtMs = Number.NEGATIVE_INFINITY;
    } catch (error) {
      refusedAtMs = performance.now();
      throw error;
    } finally {
      recovery.start();
    }
  };

  metrics.spoolBytes.set(spool.bytes());
  const kept = startKeptRounds(deps);
  if (spool.bytes() > 0) {
    logger.info({ spooledBytes: spool.bytes() }, 'replaying receipts that an earlier run left in the spool');
    recovery.start();
  }
  return {
    ...log,
    takesReceipts: () => path.isDirect() || (spool.hasRoom() && performance.now() - refusedAtMs > refusalMs),
    holdsReceipts: () => spool.bytes() > 0,
    append: (topic, entries) => (topic === 'scores' ? append(entries) : log.append(topic, entries)),
    close: async () => {
      void kept.stop();
      await recovery.stop();
      await spool.close();
      await log.close();
    },
  };
}

/** Keeps the figures of files kept aside: how many, and how long the oldest has waited for somebody. */
function startKeptRounds(deps: SpoolLogDeps): Rounds {
  const { spool, metrics, logger, keptLife, keptEveryMs = keptEveryMsDefault } = deps;
  const look = async (): Promise<void> => {
    const { files, oldestAtMs } = await spool.kept();
    metrics.spoolKept.set(files);
    metrics.spoolKeptOldest.set(oldestAtMs === null ? 0 : Math.max(0, Date.now() - oldestAtMs) / 1_000);
    if (keptLife !== undefined && files > 0) {
      const keptBeforeMs = (await keptLife.readClock()) - keptLife.days * dayMs;
      for (const file of await spool.dropKept(keptBeforeMs))
        logger.warn({ file, days: keptLife.days }, 'an expired spool file was deleted');
    }
  };
  return startRounds({ everyMs: keptEveryMs, firstMs: 0, work: look });
}

/** Decides whether receipts go to the log itself, or to the spool. */
function createPath({ spool, logger, directMsMax = directMsMaxDefault }: SpoolLogDeps) {
  let isDirect = true;
  return {
    isDirect: () => isDirect,
    leave: (error: unknown): void => {
      if (isDirect) logger.warn({ err: error }, 'the log is unavailable or slow; receipts go to the spool');
      isDirect = false;
    },
    /** Work that the log does in good time shows that it is back. */
    timed: async (work: Promise<void>): Promise<void> => {
      const startedMs = performance.now();
      await work;
      if (performance.now() - startedMs > directMsMax) return;
      if (!isDirect) logger.info({ spooledBytes: spool.bytes() }, 'the log is available again');
      isDirect = true;
    },
  };
}

/** Replays what was spooled, in the background, until the log takes receipts directly again. */
function createRecovery({ log, spool, metrics, logger }: SpoolLogDeps, path: ReturnType<typeof createPath>) {
  let isClosed = false;
  let recovering: Promise<void> | null = null;
  const closed = createNotifier();
  const replay = async (entries: readonly LogEntry[]): Promise<void> => {
    await path.timed(log.append('scores', entries));
    metrics.spoolEntries.inc({ event: 'replayed' }, entries.length);
    metrics.spoolBytes.set(spool.bytes());
  };
  const recover = async (): Promise<void> => {
    for (let failures = 0; !isClosed;) {
      try {
        if (spool.bytes() === 0) await path.timed(log.ping());
        else await spool.drain(replay, () => isClosed);
        failures = 0;
        if (path.isDirect() && spool.bytes() === 0) break;
      } catch (error) {
        if (!isUnavailable(error)) logger.error({ err: error }, 'spool replay failed; retrying');
        failures++;
      }
      await closed.wait(backoffMs(Math.max(1, failures), pauseFirstMs, pauseMsMax));
    }
    metrics.spoolBytes.set(spool.bytes());
    recovering = null;
  };
  return {
    start: (): void => {
      if (!isClosed) recovering ??= recover();
    },
    stop: async (): Promise<void> => {
      isClosed = true;
      closed.notify();
      await recovering;
    },
  };
}
