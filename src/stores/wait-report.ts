/** Reports work that waits: after 3 seconds, then at pauses that double up to a minute, until the work settles. */
import { backoffMs } from './notifier.js';

const firstPauseMs = 3_000;
const pauseMsMax = 60_000;

export function reportWait<T>(work: Promise<T>, report: (waitedSeconds: number) => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const schedule = (reports: number, beforeMs: number): void => {
    const pauseMs = backoffMs(reports, firstPauseMs, pauseMsMax);
    const waitedMs = beforeMs + pauseMs;
    timer = setTimeout(() => {
      report(waitedMs / 1_000);
      schedule(reports + 1, waitedMs);
    }, pauseMs);
    // An aborted start drops the work, and its report must not keep the process alive.
    timer.unref();
  };
  schedule(1, 0);
  return work.finally(() => clearTimeout(timer));
}
