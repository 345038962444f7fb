/** Waits that end early, and the pauses between retries. */
import { storeUnavailable } from '../errors.js';

export interface Notifier {
  /** Ends the current wait or, if there is none, the next one before it starts. */
  notify(): void;
  /** Resolves when notified or after `ms`, whichever is first. */
  wait(ms: number): Promise<void>;
}

/** One of the background does not keep the process alive while it waits. */
export function createNotifier({ isBackground = false } = {}): Notifier {
  let isNotified = false;
  let end: (() => void) | null = null;
  return {
    notify: () => {
      isNotified = true;
      end?.();
    },
    wait: async (ms) => {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          if (isBackground) timer.unref();
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      end = null;
      isNotified = false;
    },
  };
}

/** Pause before the next try after `failures` failures in a row: doubles from `firstMs` up to `maxMs`. */
export const backoffMs = (failures: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));

/** Settles as `work` does, or rejects with StoreUnavailable after `deadlineMs`; what the work comes to after that is dropped. */
export function settleWithin<T>(work: Promise<T>, deadlineMs: number, store: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(storeUnavailable(`${store}: no answer within ${deadlineMs} ms`)), deadlineMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: Error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** Settles as `work` does, or rejects with the reason of `stop` as soon as that is aborted; what the work comes to after that is dropped. */
export function settleUntil<T>(stop: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (stop === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const giveUp = (): void => reject(stop.reason as Error);
    if (stop.aborted) giveUp();
    stop.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', giveUp));
  });
}
