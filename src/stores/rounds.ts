/**
 * Work that repeats, never twice at a time, until it is stopped.
 *
 *   waiting ──time is up, or woken──▶ working ──more is there──▶ working
 *      ▲                                 ├──nothing more──▶ waiting
 *      └──────────longer each time───────┴──failed──▶ pausing (a wake does not end it)
 *
 * A round that fails is reported and repeated, for ever.
 */
import { backoffMs, createNotifier } from './notifier.js';

export interface Rounds {
  /** Starts a round now, or right after the one in hand. */
  wake(): void;
  /** Starts no further round and resolves when the one in hand has ended. */
  stop(): Promise<void>;
}

export interface RoundsOptions {
  /** Time from the end of a round to the next. */
  readonly everyMs: number;
  /** Time until the first round, `everyMs` by default. */
  readonly firstMs?: number;
  /** Pauses after failures in a row, which double from the first to the longest; `everyMs` by default. */
  readonly pauseMs?: readonly [first: number, longest: number];
  /** Work for which the process lives: waiting for it keeps it alive. False by default. */
  readonly keepsAlive?: boolean;
  /** Resolves to true if there is more to do at once. A long one checks whether it is to stop. */
  readonly work: (isStopping: () => boolean) => Promise<unknown>;
  readonly onError?: (error: unknown, failures: number) => void;
}

export function startRounds({ everyMs, firstMs = everyMs, work, onError, ...options }: RoundsOptions): Rounds {
  const { pauseMs: [pauseFirstMs, pauseMsMax] = [everyMs, everyMs], keepsAlive = false } = options;
  const woken = createNotifier({ isBackground: !keepsAlive });
  const stopped = createNotifier({ isBackground: !keepsAlive });
  let isStopping = false;
  let failures = 0;
  const loop = async (): Promise<void> => {
    if (firstMs > 0) await woken.wait(firstMs);
    while (!isStopping) {
      try {
        const hasMore = await work(() => isStopping);
        failures = 0;
        if (hasMore !== true) await woken.wait(everyMs);
      } catch (error) {
        failures += 1;
        onError?.(error, failures);
        await stopped.wait(backoffMs(failures, pauseFirstMs, pauseMsMax));
      }
    }
  };
  const running = loop();
  return {
    wake: () => woken.notify(),
    stop: () => {
      isStopping = true;
      woken.notify();
      stopped.notify();
      return running;
    },
  };
}
