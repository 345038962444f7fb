/** Waits that end early, and the pauses between retries. */

export interface Notifier {
  /** Ends the current wait or, if there is none, the next one before it starts. */
  notify(): void;
  /** Resolves when notified or after `ms`, whichever is first. */
  wait(ms: number): Promise<void>;
}

export function createNotifier(): Notifier {
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
