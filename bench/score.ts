/**
 * Bench of `POST /lite/score`. On the running stack: a bare echo, the empty pipeline (the product’s libraries with nothing between them) and
 * the service, in turns, half of the sessions with a probe of about 4 KB; without a stack: echo and the service on embedded stores.
 *
 * Reported for each: answers a second in a closed loop, CPU time of all threads per request there and at fixed rates, wake-ups of threads
 * per request at the lowest rate, and latency in an open loop; for the service also the CPU of Redis per call of its script.
 */
import { Redis } from 'ioredis';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { scoreExample } from '../src/scoring/examples.js';
import { createLoad, median, quantile, type Load, type Target } from './load.js';
import { serve, type Served } from './process.js';
import { scoreBodies } from './score-bodies.js';
import { reportScores, type Measured, type RateRound, type Round } from './score-report.js';
import { findStack, withStack, type StackEnvironment } from './stack.js';

export interface BenchOptions {
  /** Length of one round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Load before the first round: for its first ten thousand requests V8’s compiler is a sixth of what a process uses. Default: five rounds. */
  readonly warmUpSeconds?: number;
  readonly connections?: number;
  /** Fixed rates of the open loop, requests a second. */
  readonly rates?: readonly number[];
  /** Default: on the stack where one runs. */
  readonly embedded?: boolean;
}

export interface BenchResult {
  readonly table: string;
  readonly ratios: Readonly<Record<string, number>>;
}

type Name = 'echo' | 'pipeline' | 'score';

interface Contestant {
  readonly name: Name;
  readonly served: Served<unknown>;
  readonly target: Omit<Target, 'body'>;
}

const saturationShare = 0.7;
const probesPerSecond = 1_000;
const warmUpRounds = 5;

export async function benchScore(options: BenchOptions): Promise<BenchResult> {
  if (options.embedded ?? findStack() === null) return run(options, {}, null);
  return withStack((environment) => run(options, environment, environment));
}

async function run(
  { seconds, rounds, warmUpSeconds = seconds * warmUpRounds, connections = 64, rates = [200, 500] }: BenchOptions,
  environment: Readonly<Record<string, string>>,
  stack: StackEnvironment | null,
): Promise<BenchResult> {
  const service = await serve<Bootstrap>(new URL('./service-server.js', import.meta.url), environment);
  const contestants = [scoring(service), ...(await startBaselines(service.info, stack))];
  const load = createLoad(connections);
  const sessions = createSessions(load, service.info);
  try {
    for (const { name, target } of contestants) {
      const body = await sessions.take(name === 'score' ? (warmUpSeconds * perSecondFirst) / 2 : 0);
      await load.closed({ ...target, body }, warmUpSeconds);
    }
    const measured = Object.fromEntries(contestants.map(({ name }) => [name, emptyMeasured()])) as Record<
      Name,
      Measured
    >;
    for (let round = 0; round < rounds; round += 1) {
      for (const contestant of contestants) {
        const body = await sessions.take(contestant.name === 'score' ? seconds * guessPerSecond(measured.score) : 0);
        measured[contestant.name].rounds.push(await saturate(load, contestant, body, seconds, stack));
      }
    }
    const saturation = saturationShare * median(measured.score.rounds.map(({ perSecond }) => perSecond));
    for (const rate of [...rates, saturation]) {
      for (let round = 0; round < rounds; round += 1) {
        for (const contestant of contestants) {
          const body = await sessions.take(contestant.name === 'score' ? seconds * rate : 0);
          measured[contestant.name].rates.push(await hold(load, contestant, body, rate, seconds));
        }
      }
    }
    return reportScores(measured, { rates, saturation, rssPeakBytes: service.rssPeakBytes() });
  } finally {
    await Promise.all(contestants.map(({ served }) => served.stop()));
  }
}

const emptyMeasured = (): Measured => ({ rounds: [], rates: [] });

const perSecondFirst = 1_500;
const guessPerSecond = ({ rounds }: Measured): number => (rounds.at(-1)?.perSecond ?? perSecondFirst) * 1.5;

function scoring(service: Served<Bootstrap>): Contestant {
  const { siteUrl, projectKey } = service.info;
  const target = { origin: siteUrl, path: '/api/v1/lite/score', headers: { 'x-api-key': projectKey } };
  return { name: 'score', served: service, target };
}

async function startBaselines(info: Bootstrap, stack: StackEnvironment | null): Promise<readonly Contestant[]> {
  const answer = await sampleAnswer(info);
  const echo = await serve<{ origin: string }>(new URL('./echo-server.js', import.meta.url), { ECHO_ANSWER: answer });
  const echoing: Contestant = {
    name: 'echo',
    served: echo,
    target: { origin: echo.info.origin, path: '/echo', headers: {} },
  };
  if (stack === null) return [echoing];
  const pipeline = await serve<{ origin: string }>(new URL('./pipeline-server.js', import.meta.url), {
    ...stack,
    PIPELINE_ANSWER: answer,
  });
  return [
    echoing,
    { name: 'pipeline', served: pipeline, target: { origin: pipeline.info.origin, path: '/pipeline', headers: {} } },
  ];
}

/** One answer of ours, for the baselines to send. */
async function sampleAnswer({ baseUrl, projectKey }: Bootstrap): Promise<string> {
  const answer = await fetch(`${baseUrl}/lite/score`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': projectKey },
    body: JSON.stringify({ ...scoreExample, sessionId: 'sample' }),
  });
  return answer.text();
}

/** Hands out sessions that nobody scored before; of the first `probed` of a lot, every other one has sent its probe. */
function createSessions(load: Load, { siteUrl, probeKey }: Bootstrap) {
  let next = 0;
  return {
    take: async (probed: number): Promise<(n: number) => string> => {
      const first = next;
      next += 1_000_000;
      const count = Math.floor(probed / 2);
      const body = (n: number): string => scoreBodies.probe(first + 2 * n, probeKey);
      await load.open(
        { origin: siteUrl, path: '/api/v1/public/lite/probe', headers: {}, body },
        probesPerSecond,
        count / probesPerSecond,
      );
      return (n) => scoreBodies.score(first + n);
    },
  };
}

async function saturate(
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

async function hold(
  load: Load,
  { served, target }: Contestant,
  body: (n: number) => string,
  rate: number,
  seconds: number,
): Promise<RateRound> {
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
