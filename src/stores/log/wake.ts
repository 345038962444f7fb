/** A wait that ends early: what a consumer's loop sleeps on between rounds. */

export interface Wake {
  /** Ends the wait under way or, when there is none, the next one before it starts. */
  wake(): void;
  /** Resolves when woken or after `ms`, whichever is first. */
  wait(ms: number): Promise<void>;
}

export function createWake(): Wake {
  let isWoken = false;
  let end: (() => void) | null = null;
  return {
    wake: () => {
      isWoken = true;
      end?.();
    },
    wait: async (ms) => {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      end = null;
      isWoken = false;
    },
  };
}

/** Pause before the next try after `failures` failures in a row: doubling from `firstMs`, at most `maxMs`. */
export const pauseAfter = (failures: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
