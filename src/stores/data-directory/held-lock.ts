/**
 * A lock that this process holds: its signs of life, and how it notices that it holds it no more.
 *
 *     held ──the file names somebody else, or is gone──▶ lost (for good: `onLost` runs once, every further check rejects)
 *
 * A holder that stands still for half a minute (a frozen container, a suspended machine, a file system out of reach) is taken for gone by one who cannot see
 * its pid. When it comes back there are two, of whom the file names the later. Whoever writes asks first: `check` reads the file where the last sign of life is
 * not fresh by both clocks, `prove` always. What remains: a statement of the embedded database that was under way when the process stood still, or that
 * comes within seconds after a suspension in which no clock of the machine went on. A spooled receipt is proven after it was written and before
 * it is acknowledged, so that none of them is taken for safe in a directory of somebody else.
 */
import { rm, utimes } from 'node:fs/promises';
import { storeUnavailable } from '../../errors.js';
import type { Database } from '../database/port.js';
import { readHolder, type Holder } from './lock-holder.js';

export interface DataLock {
  /** Rejects where the lock is lost; reads the file only where that could have happened by now. */
  check(): Promise<void>;
  /** Reads the file. Rejects where the lock is lost. */
  prove(): Promise<void>;
  /** Gives the directory free. Harmless when called again. */
  release(): Promise<void>;
}

export interface HoldOptions {
  readonly silentMsMax: number;
  readonly signOfLifeEveryMs: number;
  readonly onLost?: (error: Error) => void;
}

export function holdLock(file: string, own: Holder, { silentMsMax, signOfLifeEveryMs, onLost }: HoldOptions): DataLock {
  /** A suspension may stop the one clock, and a correction set the other. */
  const clocks = (): readonly number[] => [performance.now(), Date.now()];
  let provenAt = clocks();
  let lost: Error | null = null;
  let isReleased = false;

  const prove = async (): Promise<void> => {
    if (lost !== null) throw lost;
    const startedAt = clocks();
    const holder = await readHolder(file).catch((error: unknown) => {
      throw storeUnavailable(`the lock ${file} cannot be read: ${(error as Error).message}`, error);
    });
    if (holder?.token === own.token || isReleased) return void (provenAt = startedAt);
    if (lost === null) {
      const taken =
        holder === null ? 'is gone' : `is held by process ${holder.pid} on ${holder.host} since ${holder.since}`;
      lost = storeUnavailable(
        `the lock ${file} ${taken}. This process stood still for too long, or somebody deleted the file: it writes nothing there any more`,
      );
      clearInterval(timer);
      onLost?.(lost);
    }
    throw lost;
  };
  const isFresh = (): boolean =>
    lost === null && clocks().every((now, index) => Math.abs(now - (provenAt[index] ?? 0)) < silentMsMax / 2);
  const renew = async (): Promise<void> => {
    await prove();
    const now = new Date();
    await utimes(file, now, now);
  };
  const timer = setInterval(() => void renew().catch(() => undefined), signOfLifeEveryMs);
  timer.unref();
  return {
    check: async () => (isFresh() ? undefined : prove()),
    prove,
    release: async () => {
      isReleased = true;
      clearInterval(timer);
      const holder = await readHolder(file);
      if (holder?.token === own.token) await rm(file, { force: true });
    },
  };
}

/** A database in a locked directory, which takes nothing more once the lock is lost. */
export const behindLock = (database: Database, lock: DataLock): Database => ({
  ...database,
  query: async (...call) => {
    await lock.check();
    return database.query(...call);
  },
  transaction: async (...call) => {
    await lock.check();
    return database.transaction(...call);
  },
});
