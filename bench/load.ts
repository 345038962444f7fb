/**
 * Load on one address: closed loop (as fast as the answers come) for throughput, open loop (a fixed rate, latency counted from
 * the intended start) for latency. The bodies are made before the clock starts.
 */
import { performance } from 'node:perf_hooks';
import { Pool } from 'undici';

export interface Target {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the n-th request, beside those of all. */
  readonly headersOf?: (n: number) => Readonly<Record<string, string>>;
  /** Body of the n-th request. */
  readonly body: (n: number) => string;
}

export interface Load {
  /** Answers a second. Counts only 2xx; anything else is an error. */
  closed(
    target: Target,
    seconds: number,
  ): Promise<{ readonly answers: number; readonly errors: number; readonly perSecond: number }>;
  open(
    target: Target,
    perSecond: number,
    seconds: number,
  ): Promise<{ readonly latenciesMs: Float64Array; readonly errors: number }>;
}

export function createLoad(connections: number): Load {
  return {
    async closed(target, seconds) {
      const client = new Pool(target.origin, { connections, pipelining: 1 });
      const startedAt = performance.now();
      const endsAt = startedAt + seconds * 1_000;
      const sum = { answers: 0, errors: 0 };
      let n = 0;
      const loop = async (): Promise<void> => {
        while (performance.now() < endsAt) sum[(await ask(client, target, n++)) ? 'answers' : 'errors'] += 1;
      };
      await Promise.all(Array.from({ length: connections }, loop));
      const elapsed = (performance.now() - startedAt) / 1_000;
      await client.close();
      return { ...sum, perSecond: sum.answers / elapsed };
    },

    async open(target, perSecond, seconds) {
      const client = new Pool(target.origin, { connections, pipelining: 1 });
      const total = Math.floor(perSecond * seconds);
      const latenciesMs = new Float64Array(total);
      let errors = 0;
      const startedAt = performance.now() + 5;
      const one = async (n: number): Promise<void> => {
        if (!(await ask(client, target, n))) errors += 1;
        latenciesMs[n] = performance.now() - (startedAt + (n * 1_000) / perSecond);
      };
      const pending: Promise<void>[] = [];
      for (let n = 0; n < total;) {
        const due = Math.min(total, Math.floor(((performance.now() - startedAt) * perSecond) / 1_000) + 1);
        for (; n < due; n += 1) pending.push(one(n));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(pending);
      await client.close();
      return { latenciesMs: latenciesMs.sort(), errors };
    },
  };
}

async function ask(client: Pool, { path, headers, headersOf, body }: Target, n: number): Promise<boolean> {
  const { statusCode, body: answer } = await client.request({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers, ...headersOf?.(n) },
    body: body(n),
  });
  await answer.dump();
  return statusCode >= 200 && statusCode < 300;
}

/** The value below which the share `q` of a sorted sample lies. */
export const quantile = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN;

export const median = (values: readonly number[]): number => quantile(Float64Array.from(values).sort(), 0.5);
