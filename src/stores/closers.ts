/**
 * Closes in reverse order what was opened, one after the other. A closer that fails, or takes too long, holds up none of the others.
 * Closing again closes what was opened since.
 */
import { settleWithin } from './notifier.js';

export interface Closers {
  /** Adds what closes the thing that was opened last; `name` is what is said to have taken too long. */
  push(close: () => Promise<void>, name?: string): void;
  /**
   * Closes everything, then rejects with the first failure. `leftMs`: the time left; each closer may take it but for a reserve for those
   * behind it.
   */
  close(leftMs?: () => number): Promise<void>;
}

/** Kept for each closer behind the one in hand. */
const reserveMs = 100;
/** Also where no time is left, a closer that needs none is waited for. */
const waitMsMin = 50;
/** Longer than anything takes to close; for whoever has no deadline. */
const waitMsMax = 60_000;

export function createClosers(): Closers {
  const opened: { readonly close: () => Promise<void>; readonly name: string }[] = [];
  return {
    push: (close, name) => void opened.push({ close, name: name ?? 'what was opened' }),
    close: async (leftMs = () => Infinity) => {
      const failures: unknown[] = [];
      const closing = opened.splice(0).reverse();
      for (const [index, { close, name }] of closing.entries()) {
        const waitMs = leftMs() - (closing.length - index) * reserveMs;
        const done = settleWithin(close(), Math.min(waitMsMax, Math.max(waitMsMin, waitMs)), `closing ${name}`);
        await done.catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
