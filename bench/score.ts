/**
 * Bench of `POST /lite/score`. On the running stack: a bare echo, the empty pipeline (the product’s libraries with nothing between them) and
 * the service, in turns, half of the sessions with a probe of about 4 KB; then the service on embedded stores, and a process of role api alone.
 * Without a stack: echo and the service on embedded stores.
 *
 * Reported for each: answers a second in a closed loop, CPU time of all threads per request there and at fixed rates, wake-ups of threads
 * per request at the lowest rate, latency in an open loop, and stalls of the main thread at 70% of the service’s saturation; for the
 * service also the CPU of Redis per call of its script.
 */
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { scoreExample } from '../src/scoring/examples.js';
import { createLoad, median, type Load } from './load.js';
import { serve } from './process.js';
import type { BenchResult } from './bench-result.js';
import { reportScores, type Roles } from './score-report.js';
import { measureApi, measureEmbedded } from './score-roles.js';
import {
  createSessions,
  hold,
  saturate,
  scoring,
  settle,
  type Contestant,
  type Measured,
  type Name,
  type Sessions,
} from './score-rounds.js';
import { findStack, withStack, type StackEnvironment } from './stack.js';
import { scoresPerSecondFirst, warmUp, type WarmUp } from './warm-up.js';

export interface BenchOptions {
  /** Length of one round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Load of each server before its first round. Default: 40,000 requests, or what it answers in 40 seconds. */
  readonly warm?: WarmUp;
  readonly connections?: number;
  /** Fixed rates of the open loop, requests a second. */
  readonly rates?: readonly number[];
  /** Default: on the stack where one runs. */
  readonly embedded?: boolean;
  /** Whether other make-ups are measured after it: embedded stores, role api alone. Default: yes. */
  readonly roles?: boolean;
}

const saturationShare = 0.7;
const warmUpDefault: WarmUp = { requests: 40_000, seconds: 40 };

interface Bench {
  readonly load: Load;
  readonly contestants: readonly Contestant[];
  readonly sessions: Sessions;
  readonly stack: StackEnvironment | null;
  readonly measured: Readonly<Record<Name, Measured>>;
}

export async function benchScore(options: BenchOptions): Promise<BenchResult> {
  if (options.embedded ?? findStack() === null) return run(options, null);
  return withStack((stack) => run(options, stack));
}

async function run(options: BenchOptions, stack: StackEnvironment | null): Promise<BenchResult> {
  const { warm = warmUpDefault, connections = 64, rates = [200, 500] } = options;
  const service = await serve<Bootstrap>(new URL('./service-server.js', import.meta.url), stack ?? {});
  const contestants = [scoring(service), ...(await startBaselines(service.info, stack))];
  const load = createLoad(connections);
  const sessions = createSessions(load, service.info);
  const measured = { echo: emptyMeasured(), pipeline: emptyMeasured(), score: emptyMeasured() };
  const bench = { load, contestants, sessions, stack, measured };
  let figures;
  try {
    for (const contestant of contestants) {
      const probing = contestant.name === 'score' ? sessions : unprobed(sessions);
      await warmUp(load, contestant, probing, warm);
    }
    await saturateInTurns(bench, options);
    const saturation = saturationShare * median(measured.score.rounds.map(({ perSecond }) => perSecond));
    for (const rate of [...rates, saturation]) await holdInTurns(bench, options, rate, rate === saturation);
    figures = { rates, saturation, rssPeakBytes: service.rssPeakBytes() };
  } finally {
    await Promise.all(contestants.map(({ served }) => served.stop()));
  }
  const roles = options.roles === false || stack === null ? {} : await measureRoles(load, warm, options);
  return reportScores(measured, { ...figures, roles });
}

const emptyMeasured = (): Measured => ({ rounds: [], rates: [] });
const unprobed = (sessions: Sessions): Sessions => ({ take: () => sessions.take(0) });

async function saturateInTurns(bench: Bench, { seconds, rounds }: BenchOptions): Promise<void> {
  const { load, contestants, sessions, stack, measured } = bench;
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of contestants) {
      const guess = (measured.score.rounds.at(-1)?.perSecond ?? scoresPerSecondFirst) * 1.5;
      const body = await sessions.take(contestant.name === 'score' ? seconds * guess : 0);
      await settle(
        contestants.map(({ served }) => served),
        seconds,
      );
      measured[contestant.name].rounds.push(await saturate(load, contestant, body, seconds, stack));
    }
  }
}

async function holdInTurns(
  bench: Bench,
  { seconds, rounds }: BenchOptions,
  rate: number,
  watchLoop: boolean,
): Promise<void> {
  const { load, contestants, sessions, measured } = bench;
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of contestants) {
      const body = await sessions.take(contestant.name === 'score' ? seconds * rate : 0);
      await settle(
        contestants.map(({ served }) => served),
        seconds,
      );
      measured[contestant.name].rates.push(await hold(load, contestant, body, { rate, seconds, watchLoop }));
    }
  }
}

async function measureRoles(load: Load, warm: WarmUp, { seconds, rounds }: BenchOptions): Promise<Roles> {
  const roleLoad = { load, warm, seconds, rounds };
  return { embedded: await measureEmbedded(roleLoad), api: await measureApi(roleLoad) };
}

async function startBaselines(info: Bootstrap, stack: StackEnvironment | null): Promise<readonly Contestant[]> {
  const answer = await sampleAnswer(info);
  const start = async (name: 'echo' | 'pipeline', environment: Record<string, string>): Promise<Contestant> => {
    const served = await serve<{ origin: string }>(new URL(`./${name}-server.js`, import.meta.url), environment);
    return { name, served, target: { origin: served.info.origin, path: `/${name}`, headers: {} } };
  };
  const echo = await start('echo', { ECHO_ANSWER: answer });
  return stack === null ? [echo] : [echo, await start('pipeline', { ...stack, PIPELINE_ANSWER: answer })];
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
