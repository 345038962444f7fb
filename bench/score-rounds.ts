/** Measurements of the score bench for one server: a round in a closed loop, a round at a fixed rate. */
import { Redis } from 'ioredis';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { quantile, type Load, type Target } from './load.js';
import type { MainThread } from './main-thread.js';
import type { Served } from './process.js';
import { scoreBodies } from './score-bodies.js';
import type { StackEnvironment } from './stack.js';

export interface Contestant {
  readonly served: Served<unknown>;
  readonly target: Omit<Target, 'body'>;
  readonly sessions: Sessions;
}

export interface Sessions {
  /** Bodies of sessions that nobody scored before. Of the first `probed`, every other one has sent its probe. */
  take(probed: number): Promise<(n: number) => string>;
  /** Takes load messages, each of another session; null for a server without sessions. */
  readonly probes: Target | null;
}

/** CPU in microseconds of all threads. */
interface Cost {
  readonly cpuPerRequest: number;
  /** Bytes on the JavaScript heap of the main thread. */
  readonly allocatedPerRequest: number;
  readonly errors: number;
}

export interface Round extends Cost {
  readonly requests: number;
  readonly perSecond: number;
  /** CPU of the Redis process, microseconds. */
  readonly redisPerRequest: number;
}

/** At a fixed rate; latencies in milliseconds. */
export interface RateRound extends Cost {
  readonly rate: number;
  readonly wakeUpsPerRequest: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly delay: MainThread['delay'];
}

export function scoring(served: Served<Bootstrap>, load: Load): Contestant {
  const { siteUrl, projectKey, probeKey } = served.info;
  const target = { origin: siteUrl, path: '/api/v1/lite/score', headers: { 'x-api-key': projectKey } };
  const probes = { origin: siteUrl, path: '/api/v1/public/lite/probe', headers: {} };
  return { served, target, sessions: createSessions(load, probes, probeKey) };
}

const probeSecondsMax = 60;
/** A portion’s sessions are far from the next one’s. */
const portion = 1_000_000;
/** Further than any portion. */
const unscored = 1_100_000_000;

/** `probes` takes their messages; null for a server without sessions. */
export function createSessions(load: Load, probes: Omit<Target, 'body'> | null, probeKey = ''): Sessions {
  let next = 0;
  const probesFrom = (first: number): Target | null =>
    probes && { ...probes, body: (n) => scoreBodies.probe(first + 2 * n, probeKey) };
  return {
    probes: probesFrom(unscored),
    take: async (probed) => {
      const first = next;
      next += portion;
      const target = probesFrom(first);
      if (target !== null) await load.closed(target, probeSecondsMax, Math.floor(probed / 2));
      return (n) => scoreBodies.score(first + n);
    },
  };
}

const settleMsMax = 3_000;
const pollMs = 100;
/** A server that uses less has finished what its load left behind. */
const idleShareMax = 0.2;

/** Waits until the servers have finished what their load left behind, such as receipts to read from the log; at most as long as a round. */
export async function settle(served: readonly Served<unknown>[], seconds: number): Promise<void> {
  const used = (): number => served.reduce((sum, one) => sum + one.cpuMicroseconds(), 0);
  for (const until = performance.now() + Math.min(settleMsMax, seconds * 1_000); performance.now() < until;) {
    const before = used();
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    if (used() - before < pollMs * 1_000 * idleShareMax) return;
  }
}

interface Closed {
  readonly seconds: number;
  readonly requestsMax?: number;
  readonly stack: StackEnvironment | null;
}

export async function saturate(
  load: Load,
  { served, target }: Omit<Contestant, 'sessions'>,
  body: (n: number) => string,
  { seconds, requestsMax, stack }: Closed,
): Promise<Round> {
  const redisBefore = await redisMicroseconds(stack);
  const endWatch = served.watch(false);
  const before = served.cpuMicroseconds();
  const { answers, errors, perSecond } = await load.closed({ ...target, body }, seconds, requestsMax);
  const cpu = served.cpuMicroseconds() - before;
  return {
    requests: answers,
    perSecond,
    errors,
    cpuPerRequest: cpu / answers,
    allocatedPerRequest: (await endWatch()).allocatedBytes / answers,
    redisPerRequest: ((await redisMicroseconds(stack)) - redisBefore) / answers,
  };
}

interface Rate {
  readonly rate: number;
  readonly seconds: number;
  /** Whether the delay of the main thread is measured. */
  readonly withDelay: boolean;
}

export async function hold(
  load: Load,
  { served, target }: Contestant,
  body: (n: number) => string,
  { rate, seconds, withDelay }: Rate,
): Promise<RateRound> {
  const endWatch = served.watch(withDelay);
  const [cpu, wakeUps] = [served.cpuMicroseconds(), served.wakeUps()];
  const { latenciesMs, errors } = await load.open({ ...target, body }, rate, seconds);
  const count = latenciesMs.length;
  const cpuPerRequest = (served.cpuMicroseconds() - cpu) / count;
  const wakeUpsPerRequest = (served.wakeUps() - wakeUps) / count;
  const { delay, allocatedBytes } = await endWatch();
  const [p50 = NaN, p95 = NaN, p99 = NaN] = [0.5, 0.95, 0.99].map((share) => quantile(latenciesMs, share));
  const allocatedPerRequest = allocatedBytes / count;
  return { rate, errors, cpuPerRequest, wakeUpsPerRequest, p50, p95, p99, delay, allocatedPerRequest };
}

/** CPU time of the Redis process so far, in any of its threads. */
async function redisMicroseconds(stack: StackEnvironment | null): Promise<number> {
  if (stack === null) return 0;
  const client = new Redis(stack.REDIS_URL);
  const text = await client.info('cpu');
  client.disconnect();
  return [...text.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)].reduce(
    (sum, [, value]) => sum + Number(value) * 1e6,
    0,
  );
}
