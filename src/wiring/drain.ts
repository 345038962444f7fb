/**
 * Leaving: from SIGTERM on, readiness fails for balancers while calls that still arrive are answered; then the listeners close. All of it
 * is within the time in which a process has to end.
 *
 *     serving ──run()──▶ leaving (answers, each the last of its connection) ──drain time──▶ closing (what is in flight ends)
 */
import { setTimeout as sleep } from 'node:timers/promises';

export type Drain = ReturnType<typeof createDrain>;

/** From SIGTERM to the end of the process. */
export const stopMsMax = 9_900;
/** The share of it in which the process itself ends. */
const exitMs = 500;
/** The share of it for parts that close after the listeners: they flush waiting data. */
const flushMs = 1_500;

export function createDrain(drainMs: number, wait: (ms: number) => Promise<unknown> = sleep) {
  const clock = (): number => performance.now();
  let leavingSinceMs: number | null = null;
  const endsInMs = (): number => stopMsMax - exitMs - (clock() - (leavingSinceMs ?? clock()));
  return {
    /** Until the process has to have ended, milliseconds. */
    endsInMs,
    /** Since `run` was called. */
    isLeaving: (): boolean => leavingSinceMs !== null,
    /** Begins to leave; resolves when the listeners are to close. */
    async run(): Promise<void> {
      leavingSinceMs ??= clock();
      if (drainMs > 0) await wait(drainMs);
    },
    /** Milliseconds that calls in flight may still take. */
    leftMs: (): number => Math.max(0, stopMsMax - flushMs - (clock() - (leavingSinceMs ?? clock()))),
  };
}
