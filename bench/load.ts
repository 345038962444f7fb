/**
 * Load on one address: closed loop (as fast as the answers come) for throughput, open loop (a fixed rate) for latency.
 *
 * The load shares its machine with what it measures, so that it must not take more of it than it has to: between two requests of the open
 * loop it sleeps. A request leaves at the first wake-up at or after it is due, a millisecond late at most while the machine has a core
 * for it, and its latency counts from there. It leaves whatever became of those before it: it never waits for an answer,
 * nor is one left out, and where all connections are taken its wait for one counts.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient, type Answered, type HttpClient } from './http-client.js';

export interface Target {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the n-th request, in addition to the common ones. */
  readonly headersOf?: (n: number) => Readonly<Record<string, string>>;
  /** Body of the n-th request. */
  readonly body: (n: number) => string;
}

/** Answers; counts only 2xx, anything else is an error. */
export interface Answers {
  readonly answers: number;
  readonly errors: number;
  readonly perSecond: number;
}

/** One request of an open loop; times in milliseconds since its start. */
export interface Exchange {
  readonly sentMs: number;
  readonly latencyMs: number;
  /** 0 where no answer came. */
  readonly status: number;
  /** The answer's status line and headers. */
  readonly head: string;
}

export interface Course {
  readonly stages: readonly { readonly perSecond: number; readonly seconds: number }[];
  /** Connections that stand before the first request. */
  readonly opened?: number;
  readonly onExchange: (exchange: Exchange) => void;
  /** Called when a stage’s last request has left. */
  readonly stageEnded?: (stage: number) => void;
}

export interface Load {
  /** Ends after `seconds`, or sooner after `requestsMax`. */
  closed(target: Target, seconds: number, requestsMax?: number): Promise<Answers>;
  /** Latencies are sorted. */
  open(
    target: Target,
    perSecond: number,
    seconds: number,
  ): Promise<{ readonly latenciesMs: Float64Array; readonly errors: number }>;
  /** An open loop at one rate after another; reports each answer. */
  each(target: Target, course: Course): Promise<void>;
}

/** `connections` is how many are in flight in a closed loop, and the most in an open one. */
export function createLoad(connections: number): Load {
  const each: Load['each'] = async (target, { stages, opened = 0, onExchange, stageEnded }) => {
    const client = createHttpClient(target.origin, connections);
    await client.open(opened);
    const startedAt = performance.now();
    let n = 0;
    let left = 0;
    let done = (): void => undefined;
    const send = (): void => {
      const sentAt = performance.now();
      left += 1;
      post(client, target, n++, (status, head) => {
        onExchange({ sentMs: sentAt - startedAt, latencyMs: performance.now() - sentAt, status, head });
        left -= 1;
        if (left === 0) done();
      });
    };
    for (const [index, { perSecond, seconds }] of stages.entries()) {
      await dispatch(Math.floor(perSecond * seconds), perSecond, send);
      stageEnded?.(index);
    }
    if (left > 0) await new Promise<void>((resolve) => (done = resolve));
    client.close();
  };
  return {
    each,

    async closed(target, seconds, requestsMax = Infinity) {
      const client = createHttpClient(target.origin, connections);
      const startedAt = performance.now();
      const endsAt = startedAt + seconds * 1_000;
      const sum = { answers: 0, errors: 0 };
      let n = 0;
      const loop = (done: () => void): void => {
        if (n >= requestsMax || performance.now() >= endsAt) return done();
        post(client, target, n++, (status) => {
          sum[isAnswer(status) ? 'answers' : 'errors'] += 1;
          loop(done);
        });
      };
      await Promise.all(Array.from({ length: connections }, () => new Promise<void>(loop)));
      const elapsed = (performance.now() - startedAt) / 1_000;
      client.close();
      return { ...sum, perSecond: sum.answers / elapsed };
    },

    async open(target, perSecond, seconds) {
      const latencies: number[] = [];
      let errors = 0;
      const onExchange = ({ latencyMs, status }: Exchange): void => {
        latencies.push(latencyMs);
        if (!isAnswer(status)) errors += 1;
      };
      await each(target, { stages: [{ perSecond, seconds }], onExchange });
      return { latenciesMs: Float64Array.from(latencies).sort(), errors };
    },
  };
}

const isAnswer = (status: number): boolean => status >= 200 && status < 300;

/** Calls `send` `total` times, each when it is due. */
async function dispatch(total: number, perSecond: number, send: () => void): Promise<void> {
  const startedAt = performance.now();
  for (let n = 0; n < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) * perSecond) / 1_000) + 1);
    for (; n < due; n += 1) send();
    // Rounded up: a timer that comes too soon would wake it for nothing.
    await sleep(Math.max(1, Math.ceil(startedAt + (n * 1_000) / perSecond - performance.now())));
  }
}

function post(client: HttpClient, { path, headers, headersOf, body }: Target, n: number, answered: Answered): void {
  client.post(
    { path, headers: headersOf === undefined ? headers : { ...headers, ...headersOf(n) }, body: body(n) },
    answered,
  );
}

/** The value below which the share `q` of a sorted sample lies. */
export const quantile = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN;

export const median = (values: readonly number[]): number => quantile(Float64Array.from(values).sort(), 0.5);
