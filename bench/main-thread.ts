/**
 * Watches the main thread of a server under load, and reports to its parent. The parent preloads this file with --import, so it works with the
 * server of any commit.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { GCProfiler, getHeapStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

export interface MainThread {
  /** How late it runs its timers, in milliseconds; null unless asked for. */
  readonly delay: { readonly p99Ms: number; readonly maxMs: number } | null;
  /** Bytes allocated on the JavaScript heap. Buffers are outside of it. */
  readonly allocatedBytes: number;
}

/** Messages of the parent. `end` is answered with a MainThread. */
export const watchMessages = { begin: 'watch memory', beginDelay: 'watch memory and delay', end: 'report' } as const;

/** The timer wakes the thread up, so its rounds do not measure CPU. */
const resolutionMs = 2;

function watchMainThread(withDelay: boolean): () => MainThread {
  const collections = new GCProfiler();
  const delay = withDelay ? monitorEventLoopDelay({ resolution: resolutionMs }) : null;
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  let usedBytes = getHeapStatistics().used_heap_size;
  collections.start();
  delay?.enable();
  return () => {
    delay?.disable();
    let allocatedBytes = 0;
    for (const { beforeGC, afterGC } of collections.stop()?.statistics ?? []) {
      allocatedBytes += Math.max(0, beforeGC.heapStatistics.usedHeapSize - usedBytes);
      usedBytes = afterGC.heapStatistics.usedHeapSize;
    }
    allocatedBytes += Math.max(0, getHeapStatistics().used_heap_size - usedBytes);
    return { allocatedBytes, delay: delay && { p99Ms: late(delay.percentile(99)), maxMs: late(delay.max) } };
  };
}

// Worker threads preload it, too.
if (isMainThread) {
  // A server does not outlive its bench.
  process.on('disconnect', () => process.exit(1));
  let end: (() => MainThread) | null = null;
  process.on('message', (message) => {
    if (message === watchMessages.end) process.send?.(end?.());
    else if (message === watchMessages.begin || message === watchMessages.beginDelay)
      end = watchMainThread(message === watchMessages.beginDelay);
  });
}
