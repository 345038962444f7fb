/**
 * The main-thread side of the worker pool. A hand-over costs more than a scoring, so few of them carry many tasks: those that arrive in one
 * turn of the event loop go to a thread as one batch, and those that arrive while every thread has a batch wait for an answer to come
 * back, in a bounded queue. None waits where a thread has nothing to do. The first tasks of a turn that can be done on the calling thread
 * are done there, at once: a trip costs more than they do.
 *
 *   run() ──▶ queue ──(a thread is free, or a whole batch waits)──▶ batch of up to 16 ──▶ thread ──▶ answers, each to its caller
 *     └──(one of the first of its turn)──▶ done here
 *
 * Every promise settles: with the answer, with OVERLOADED where the queue is full, the deadline passed or the thread
 * died (the pool starts another), or with the coded fault that the worker answered.
 */
import { EventEmitter } from 'node:events';
import { availableParallelism } from 'node:os';
import { pack, unpack } from 'msgpackr';
import { Piscina } from 'piscina';
import type { PoolAnswer, PoolResults, PoolTask } from '../contract/pool.js';
import { errorTable, Fault, overloaded, type ErrorCode } from '../errors.js';
import type { Metrics } from '../telemetry/metrics.js';

const batchMax = 16;
/**
 * How many tasks of a turn are done here if they can be. With one thread (two cores) a trip costs more than it saves unless the caller would
 * be blocked for milliseconds. With more, a thread has a core of its own: not measured, for want of such a machine (docs/internals/adr/0006).
 */
const hereMaxOf = (threads: number): number => (threads === 1 ? 64 : 4);
/** Under load a thread works on one batch while a full one waits, so that it never idles between two. */
const batchesPerThread = 2;

export interface PoolOptions {
  /** Compiled thread entry. */
  readonly entry: URL;
  /** Default: cores less one, at least 1. */
  readonly threads: number | null;
  readonly queueMax: number;
  readonly deadlineMs: number;
  readonly metrics: Metrics;
}

export interface Pool {
  /** `here` does the task on the calling thread, in little time; absent where it would hold up everybody else’s. */
  run<K extends PoolTask['kind']>(
    task: Extract<PoolTask, { kind: K }>,
    here?: () => PoolResults[K],
  ): Promise<PoolResults[K]>;
  /** Resolves when every thread has loaded, so that the first tasks do not pay for it out of their deadline. */
  warm(): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  readonly task: PoolTask;
  /** By a clock that cannot be set. */
  readonly dueAtMs: number;
  readonly resolve: (value: PoolResults[PoolTask['kind']]) => void;
  readonly reject: (fault: Error) => void;
}

export function createPool(options: PoolOptions): Pool {
  const { queueMax, deadlineMs, metrics } = options;
  const threads = options.threads ?? Math.max(1, availableParallelism() - 1);
  const capacity = threads * batchesPerThread;
  const hereMax = hereMaxOf(threads);
  const piscina = new Piscina({
    filename: options.entry.href,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Infinity,
    concurrentTasksPerWorker: batchesPerThread,
    maxQueue: capacity,
    atomics: 'disabled',
    recordTiming: false,
  });
  const queue: Waiting[] = [];
  let busy = 0;
  let scheduled = false;
  /** In this turn of the event loop. */
  let doneHere = 0;

  const canDispatch = (): boolean => queue.length > 0 && busy < (queue.length < batchMax ? threads : capacity);

  function schedule(): void {
    if (scheduled || !canDispatch()) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      dispatch();
    });
  }

  function dispatch(): void {
    while (canDispatch()) {
      const batch = takeLive(queue, metrics);
      if (batch.length === 0) continue;
      busy += 1;
      metrics.poolBatch.observe(batch.length);
      void handOver(piscina, batch, deadlineMs, metrics).finally(() => {
        busy -= 1;
        dispatch();
      });
    }
    metrics.poolQueue.set(queue.length);
    metrics.poolBusy.set(busy);
  }

  return {
    async run<K extends PoolTask['kind']>(task: Extract<PoolTask, { kind: K }>, here?: () => PoolResults[K]) {
      if (here !== undefined && doneHere < hereMax) {
        if (doneHere === 0) setImmediate(() => (doneHere = 0));
        doneHere += 1;
        metrics.poolHere.inc();
        return here();
      }
      if (queue.length >= queueMax) {
        metrics.poolRejected.inc({ reason: 'full' });
        throw overloaded('the queue of the pool is full');
      }
      return new Promise<PoolResults[K]>((resolve, reject) => {
        queue.push({ task, dueAtMs: performance.now() + deadlineMs, resolve: resolve as Waiting['resolve'], reject });
        schedule();
      });
    },
    async warm() {
      const task = (): Uint8Array => new Uint8Array(pack([{ kind: 'model' } satisfies PoolTask]));
      await Promise.all(Array.from({ length: capacity }, () => piscina.run(task())));
    },
    async close() {
      for (const waiting of queue.splice(0)) waiting.reject(overloaded('the pool is closing'));
      await piscina.close({ force: false });
    },
  };
}

/** The next batch; tasks whose deadline passed in the queue are refused on the way. */
function takeLive(queue: Waiting[], metrics: Metrics): readonly Waiting[] {
  const now = performance.now();
  const batch: Waiting[] = [];
  for (const waiting of queue.splice(0, batchMax)) {
    if (waiting.dueAtMs > now) batch.push(waiting);
    else {
      metrics.poolRejected.inc({ reason: 'deadline' });
      waiting.reject(overloaded('the deadline passed in the queue of the pool'));
    }
  }
  return batch;
}

async function handOver(
  piscina: Piscina,
  batch: readonly Waiting[],
  deadlineMs: number,
  metrics: Metrics,
): Promise<void> {
  // An emitter rather than an AbortSignal, whose making costs as much as the hand-over.
  const signal = new EventEmitter();
  const timer = setTimeout(() => signal.emit('abort'), deadlineMs);
  try {
    // pack() returns a view on a shared block: copy it out, or the whole block would travel.
    const message = new Uint8Array(pack(batch.map((waiting) => waiting.task)));
    const packed = (await piscina.run(message, { transferList: [message.buffer], signal })) as Uint8Array;
    const answers = unpack(packed) as readonly PoolAnswer[];
    batch.forEach((waiting, index) => settle(waiting, answers[index]));
  } catch (error) {
    metrics.poolRejected.inc({ reason: 'thread' }, batch.length);
    for (const waiting of batch)
      waiting.reject(overloaded('a batch of the pool could not be packed, or its thread died or was late', error));
  } finally {
    clearTimeout(timer);
  }
}

function settle(waiting: Waiting, answer: PoolAnswer | undefined): void {
  if (answer?.ok === true) waiting.resolve(answer.value);
  else if (answer !== undefined && answer.code !== 'INTERNAL' && answer.code in errorTable)
    waiting.reject(new Fault(answer.code as ErrorCode, answer.message, { internal: answer.internal }));
  else waiting.reject(new Error(`the scoring core failed: ${answer?.internal ?? 'no answer'}`));
}
