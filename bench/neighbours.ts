/**
 * Bench of fairness: one organization does each heavy thing as fast as it can, while another scores, verifies, enters a study, receives webhooks and
 * reads. On the running stack, or on embedded stores where none runs (or with `--embedded`).
 *
 * For each heavy thing: the neighbour alone, both, the storm alone. Reported are the ratios of the neighbour’s latencies with and without the storm, its
 * failures, and how much longer the storm’s work takes than alone. What the storm is refused (429) it repeats when Retry-After says.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchResult } from './bench-result.js';
import { call, keyOf, neighbourCalls, scoreCall, type Answer } from './neighbours-calls.js';
import { report, type Done, type Felt, type Row } from './neighbours-report.js';
import type { Neighbourhood, Tenant } from './neighbours-server.js';
import { heavyThings, stormCalls, type HeavyThing } from './neighbours-storm.js';
import { serve } from './process.js';
import { findStack, withStack } from './stack.js';

export interface NeighboursOptions {
  /** Length of each of the three phases of a heavy thing. */
  readonly seconds: number;
  readonly embedded?: boolean;
  /** Calls of the neighbour a second. */
  readonly perSecond?: number;
  readonly places?: number;
  readonly only?: readonly HeavyThing[];
}

const warmUpSecondsMax = 5;
const slowMs = 9_300;
const slowEndpoints = 40;

/** Takes webhooks: at once below /fast, late below /slow. `ages`: from an event to its arrival, milliseconds. */
async function startReceiver() {
  const ages: number[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      if (incoming.url?.startsWith('/slow') === true) return void setTimeout(() => response.end('ok'), slowMs);
      const at = /"timestamp":"([^"]+)"/.exec(Buffer.concat(chunks).toString('utf8'))?.[1];
      if (at !== undefined) ages.push(Date.now() - Date.parse(at));
      response.end('ok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { ages, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** An open loop: calls leave when they are due, whatever became of those before. */
async function live(
  target: Neighbourhood,
  ages: number[],
  { seconds, perSecond = 50 }: NeighboursOptions,
  from: number,
): Promise<Felt> {
  const calls = neighbourCalls(target);
  const latencies: number[] = [];
  let failures = 0;
  ages.length = 0;
  const startMs = performance.now();
  const pending: Promise<void>[] = [];
  for (let n = 0; n < seconds * perSecond; n += 1) {
    const dueMs = startMs + (n * 1_000) / perSecond;
    if (dueMs > performance.now()) await pause(dueMs - performance.now());
    const one = calls[n % calls.length]?.(from + n).catch(() => ({ status: 0, text: '' }));
    pending.push(
      Promise.resolve(one).then((answer) => {
        latencies.push(performance.now() - dueMs);
        if ((answer?.status ?? 0) >= 400 || answer?.status === 0) failures += 1;
      }),
    );
  }
  await Promise.all(pending);
  return { latencies: Float64Array.from(latencies).sort(), ages: Float64Array.from(ages).sort(), failures };
}

/** A closed loop of many callers that heed Retry-After, until `isOver`. */
async function rage(work: (n: number) => Promise<Answer>, callers: number, isOver: () => boolean): Promise<Done> {
  const startMs = performance.now();
  let [done, failures, n] = [0, 0, 0];
  const caller = async (): Promise<void> => {
    while (!isOver()) {
      const { status, retryAfterMs } = await work((n += 1)).catch(() => ({ status: 0, retryAfterMs: 0 }));
      if (status >= 200 && status < 300) done += 1;
      else if (status !== 429) failures += 1;
      if (status === 429) await pause(retryAfterMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { perSecond: (done * 1_000) / (performance.now() - startMs), failures };
}

/** Sessions of the storm, which a rebuild of its counters restores. */
async function scoreSessions(target: Neighbourhood, count: number): Promise<void> {
  let n = 0;
  const caller = async (): Promise<void> => {
    while (n < count) await scoreCall(target, target.storm, 900_000_000 + (n += 1));
  };
  await Promise.all(Array.from({ length: 16 }, caller));
}

export async function benchNeighbours(options: NeighboursOptions): Promise<BenchResult> {
  const secrets = { VH_MASTER_KEY: randomBytes(32).toString('base64'), VH_BOOTSTRAP: 'on' };
  if (options.embedded ?? findStack() === null) return run(options, secrets);
  return withStack((stack) => run(options, { ...secrets, ...stack }));
}

async function run(options: NeighboursOptions, environment: Readonly<Record<string, string>>): Promise<BenchResult> {
  const { seconds, places = 20_000 } = options;
  const service = await serve<Neighbourhood>(new URL('./neighbours-server.js', import.meta.url), {
    ...environment,
    ...{ BENCH_PLACES: String(places), BENCH_SESSIONS: String(places * 5) },
  });
  const receiver = await startReceiver();
  const target = service.info;
  // Embedded counters are rebuilt at a start alone.
  const all = (Object.keys(heavyThings) as HeavyThing[]).filter(
    (thing) => thing !== 'rebuild' || target.redisUrl !== null,
  );
  const only = options.only ?? all;
  try {
    const register = (tenant: Tenant, path: string): Promise<Answer> =>
      call('POST', `${target.baseUrl}/projects/${tenant.projectId}/webhooks`, keyOf(tenant), {
        url: receiver.url + path,
      });
    await register(target.neighbour, '/fast');
    await Promise.all(Array.from({ length: slowEndpoints }, (_, n) => register(target.storm, `/slow/${n}`)));
    if (only.includes('rebuild')) await scoreSessions(target, places / 10);
    await live(target, receiver.ages, { ...options, seconds: Math.min(warmUpSecondsMax, seconds) }, 0);
    const rows: Row[] = [];
    for (const [index, thing] of only.entries()) {
      const from = (index + 1) * 1_000_000;
      const work = stormCalls(target)[thing];
      const alone = await live(target, receiver.ages, options, from);
      let isOver = false;
      const storm = rage(work, heavyThings[thing], () => isOver);
      const felt = await live(target, receiver.ages, options, from + 500_000);
      isOver = true;
      const inStorm = await storm;
      const until = performance.now() + seconds * 1_000;
      const stormAlone = await rage(work, heavyThings[thing], () => performance.now() > until);
      rows.push({ thing, alone, felt, inStorm, stormAlone });
    }
    return report(rows);
  } finally {
    receiver.close();
    await service.stop();
  }
}
