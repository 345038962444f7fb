/** What the score bench measures of one server: a round as fast as it answers, a round at a fixed rate. */
import { Redis } from 'ioredis';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import type { LoopDelay } from './loop-delay.js';
import { quantile, type Load, type Target } from './load.js';
import type { Served } from './process.js';
import { scoreBodies } from './score-bodies.js';
import type { StackEnvironment } from './stack.js';

export type Name = 'echo' | 'pipeline' | 'score';

export interface Contestant {
  readonly name: Name;
  readonly served: Served<unknown>;
  readonly target: Omit<Target, 'body'>;
}

/** As fast as the answers come. */
export interface Round {
  readonly perSecond: number;
  /** Microseconds, all threads. */
  readonly cpuPerRequest: number;
  /** Microseconds of Redis in scripts. */
  readonly redisPerRequest: number;
  readonly errors: number;
}

/** At a fixed rate; latencies in milliseconds. */
export interface RateRound {
  readonly rate: number;
  readonly cpuPerRequest: number;
  readonly wakeUpsPerRequest: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly errors: number;
  /** Where it was watched. */
  readonly loop: LoopDelay | null;
}

export interface Measured {
  readonly rounds: Round[];
  readonly rates: RateRound[];
}

export function scoring(service: Served<Bootstrap>): Contestant {
  const { siteUrl, projectKey } = service.info;
  const target = { origin: siteUrl, path: '/api/v1/lite/score', headers: { 'x-api-key': projectKey } };
  return { name: 'score', served: service, target };
}

const probeSecondsMax = 60;

export interface Sessions {
  /** Bodies of sessions that nobody scored before; of the first `probed`, every other one has sent its probe. */
  take(probed: number): Promise<(n: number) => string>;
}

export function createSessions(load: Load, { siteUrl, probeKey }: Bootstrap): Sessions {
  let next = 0;
  return {
    take: async (probed) => {
      const first = next;
      next += 1_000_000;
      const body = (n: number): string => scoreBodies.probe(first + 2 * n, probeKey);
      const target = { origin: siteUrl, path: '/api/v1/public/lite/probe', headers: {}, body };
      await load.closed(target, probeSecondsMax, Math.floor(probed / 2));
      return (n) => scoreBodies.score(first + n);
    },
  };
}

const settleMsMax = 3_000;
const lookEveryMs = 100;
/** A server that uses less has done what was left to do after its last answer. */
const idleShareMax = 0.2;

/** Waits until the servers have done what their load left them, such as reading receipts from the log; no longer than a round. */
export async function settle(served: readonly Served<unknown>[], seconds: number): Promise<void> {
  const used = (): number => served.reduce((sum, one) => sum + one.cpuMicroseconds(), 0);
  for (const until = performance.now() + Math.min(settleMsMax, seconds * 1_000); performance.now() < until;) {
    const before = used();
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    if (used() - before < lookEveryMs * 1_000 * idleShareMax) return;
  }
}

export async function saturate(
  load: Load,
  { served, target }: Contestant,
  body: (n: number) => string,
  seconds: number,
  stack: StackEnvironment | null,
): Promise<Round> {
  const redisBefore = await redisMicroseconds(stack);
  const before = served.cpuMicroseconds();
  const { answers, errors, perSecond } = await load.closed({ ...target, body }, seconds);
  return {
    perSecond,
    errors,
    cpuPerRequest: (served.cpuMicroseconds() - before) / answers,
    redisPerRequest: ((await redisMicroseconds(stack)) - redisBefore) / answers,
  };
}

interface Rate {
  readonly rate: number;
  readonly seconds: number;
  readonly watchLoop: boolean;
}

export async function hold(
  load: Load,
  { served, target }: Contestant,
  body: (n: number) => string,
  { rate, seconds, watchLoop }: Rate,
): Promise<RateRound> {
  const endWatch = watchLoop ? served.watchLoop() : null;
  const [cpu, wakeUps] = [served.cpuMicroseconds(), served.wakeUps()];
  const { latenciesMs, errors } = await load.open({ ...target, body }, rate, seconds);
  const count = latenciesMs.length;
  return {
    rate,
    errors,
    cpuPerRequest: (served.cpuMicroseconds() - cpu) / count,
    wakeUpsPerRequest: (served.wakeUps() - wakeUps) / count,
    p50: quantile(latenciesMs, 0.5),
    p95: quantile(latenciesMs, 0.95),
    p99: quantile(latenciesMs, 0.99),
    loop: endWatch === null ? null : await endWatch(),
  };
}

/** Time that Redis has spent in functions and scripts so far. */
async function redisMicroseconds(stack: StackEnvironment | null): Promise<number> {
  if (stack === null) return 0;
  const client = new Redis(stack.REDIS_URL);
  const stats = await client.info('commandstats');
  client.disconnect();
  return [...stats.matchAll(/^cmdstat_(?:fcall|evalsha):calls=\d+,usec=(\d+)/gm)].reduce(
    (sum, [, usec]) => sum + Number(usec),
    0,
  );
}
