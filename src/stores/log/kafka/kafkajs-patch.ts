/**
 * The only change that this service makes to kafkajs, whose version is pinned. See docs/adr/0024-kafkajs-with-one-change.md.
 *
 * Each connection checks with a timer whether the broker still throttles it. kafkajs sets the timer to a time in the past when there is no throttling, so that
 * it fires every millisecond for the life of the connection: 3% of a core in an idle process. Here the timer is set only while requests wait.
 */
import { createRequire } from 'node:module';

export interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

export function stopIdleTimers(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as {
    readonly prototype: RequestQueue;
  };
  const { scheduleCheckPendingRequests: schedule } = prototype;
  prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) schedule.call(this);
  };
}
