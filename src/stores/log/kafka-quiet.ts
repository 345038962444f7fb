/**
 * Keeps kafkajs quiet while it has nothing to do. Its queue of requests looks once a millisecond, for each connection and for as long as that lives,
 * whether a broker’s throttling is over, also where there is none and nothing waits: known upstream, and not mended in a release. With the dozen
 * connections of a process that was 750 wake-ups a second and a twelfth of a core, under no load at all.
 *
 * What waits is still looked at again: when an answer makes room, and by the timer that a waiting request sets.
 */
import { createRequire } from 'node:module';

/** As much of kafkajs’s class as is needed here. */
export interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/** Sees to it that only a queue in which something waits sets its timer. */
export function quietQueues(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as {
    readonly prototype: RequestQueue;
  };
  const schedule = prototype.scheduleCheckPendingRequests;
  if (quieted.has(schedule)) return;
  const scheduleWaiting = function (this: RequestQueue): void {
    if (this.pending.length > 0) schedule.call(this);
  };
  quieted.add(scheduleWaiting);
  prototype.scheduleCheckPendingRequests = scheduleWaiting;
}

const quieted = new WeakSet<() => void>();
