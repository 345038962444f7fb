/**
 * Keeps kafkajs quiet while it has nothing to do. Its queue of requests, one for each connection, has two timers that never rest:
 *
 * - One looks once a millisecond whether a broker’s throttling is over, also where there is none and nothing waits: known upstream, and not mended in
 *   a release. With the dozen connections of a process that was 750 wake-ups a second and a fiftieth of a core, under no load at all. What waits is
 *   still looked at again: when an answer makes room, and by the timer that a waiting request sets.
 * - One looks ten times a second for requests past their deadline, which is of seconds: here once a second, for all connections at once.
 */
import { createRequire } from 'node:module';

interface SentRequest {
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

/** As much of kafkajs’s class as is needed here. */
export interface RequestQueue {
  readonly pending: readonly unknown[];
  readonly inflight: ReadonlyMap<number, SentRequest>;
  readonly enforceRequestTimeout: boolean;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
  isConnected(): boolean;
  destroy(): void;
}

const overdueCheckMs = 1_000;

/** Queues with a connection. */
const watched = new Set<RequestQueue>();
let watching: NodeJS.Timeout | undefined;

/** Changes kafkajs’s class; the second time nothing. */
export function quietQueues(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as {
    readonly prototype: RequestQueue;
  };
  if (prototype.scheduleRequestTimeoutCheck === watch) return;
  const { scheduleCheckPendingRequests: schedule, destroy } = prototype;
  prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) schedule.call(this);
  };
  prototype.scheduleRequestTimeoutCheck = watch;
  prototype.destroy = function () {
    destroy.call(this);
    unwatch(this);
  };
}

function watch(this: RequestQueue): void {
  if (!this.enforceRequestTimeout) return;
  watched.add(this);
  watching ??= setInterval(() => {
    for (const queue of watched) checkOverdue(queue);
  }, overdueCheckMs);
}

function unwatch(queue: RequestQueue): void {
  watched.delete(queue);
  if (watched.size > 0) return;
  clearInterval(watching);
  watching = undefined;
}

function checkOverdue(queue: RequestQueue): void {
  for (const request of queue.inflight.values())
    if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
  if (!queue.isConnected()) queue.destroy();
}
