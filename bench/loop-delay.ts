/** How late the main thread of a server under load comes to its timers, asked for over the channel to its parent: its stalls. */
import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';

export interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Messages of the parent: the first begins a watch, the second ends it and is answered with a LoopDelay. */
export const loopMessages = { begin: 'watch the event loop', end: 'report the loop delay' } as const;

/** Looks as often; a timer that comes in time counts as no delay. The looks are wake-ups, so that CPU is not measured meanwhile. */
const resolutionMs = 2;

/** In the server's process. */
export function reportLoopDelay(): void {
  let watch: IntervalHistogram | null = null;
  process.on('message', (message) => {
    if (message === loopMessages.begin) {
      watch = monitorEventLoopDelay({ resolution: resolutionMs });
      watch.enable();
    }
    if (message === loopMessages.end && watch !== null) {
      watch.disable();
      const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);
      process.send?.({ p99Ms: late(watch.percentile(99)), maxMs: late(watch.max) } satisfies LoopDelay);
    }
  });
}
