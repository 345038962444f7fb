/**
 * Bench of `POST /lite/score`. On the running stack it measures a bare echo, the mandatory pipeline and the service in turns, half of the sessions with a
 * probe of about 4 KB; then the service on embedded stores, and a process of role api. Without a stack it measures echo and service on embedded stores.
 */
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import type { BenchResult } from './bench-result.js';
import { createLoad, median, type Load } from './load.js';
import { serve } from './process.js';
import { reportScores, type Roles } from './score-report.js';
import { measureApi, measureEmbedded } from './score-roles.js';
import { createSessions, scoring, type Contestant } from './score-rounds.js';
import { sampleScores } from './score-sample.js';
import { holdInTurns, saturateInTurns, warmUpDefault, warmUpInTurns, type WarmUp } from './score-turns.js';
import { findStack, withStack, type StackEnvironment } from './stack.js';

export interface BenchOptions {
  /** Length of one round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Load of each server before its first round. */
  readonly warm?: WarmUp;
  readonly connections?: number;
  /** Fixed rates of the open loop, requests a second. */
  readonly rates?: readonly number[];
  /** Default: on the stack if one runs. */
  readonly embedded?: boolean;
  /** Whether to measure embedded stores and role api afterwards. Default: yes. */
  readonly roles?: boolean;
}

export const ratesDefault: readonly number[] = [200, 500];
/** The share of the service’s closed loop at which stalls and queues show. */
const saturationShare = 0.7;

export async function benchScore(options: BenchOptions): Promise<BenchResult> {
  if (options.embedded ?? findStack() === null) return run(options, null);
  return withStack((stack) => run(options, stack));
}

async function run(options: BenchOptions, stack: StackEnvironment | null): Promise<BenchResult> {
  const { seconds, rounds, warm = warmUpDefault, connections = 64, rates = ratesDefault } = options;
  const load = createLoad(connections);
  const served = await serve<Bootstrap>(new URL('./service-server.js', import.meta.url), stack ?? {});
  const started: Contestant[] = [scoring(served, load)];
  try {
    const baselines = await startBaselines(load, served.info, stack);
    started.push(...Object.values(baselines));
    const [service] = started as [Contestant];
    const turns = { load, contestants: started, seconds, rounds, stack };
    const results = await warmUpInTurns(turns, warm);
    await saturateInTurns(turns, results);
    const perSecond = median(results.get(service)?.rounds.map((round) => round.perSecond) ?? []);
    const saturation = Math.round(saturationShare * perSecond);
    for (const rate of rates) await holdInTurns(turns, results, rate);
    await holdInTurns(turns, results, saturation, true);
    const rssPeakBytes = served.rssPeakBytes();
    await stopAll(started);
    const roles = options.roles === false || stack === null ? {} : await measureRoles(load, warm, options);
    const measured = Object.entries({ service, ...baselines }).flatMap(([name, contestant]) => {
      const result = results.get(contestant);
      return result === undefined ? [] : [[name, result] as const];
    });
    return reportScores(new Map(measured), { seconds, rates, saturation, rssPeakBytes, roles });
  } finally {
    await stopAll(started);
  }
}

/** Those that still run. */
async function stopAll(contestants: Contestant[]): Promise<void> {
  await Promise.all(contestants.splice(0).map(({ served }) => served.stop()));
}

async function measureRoles(load: Load, warm: WarmUp, { seconds, rounds }: BenchOptions): Promise<Roles> {
  const roleLoad = { load, warm, seconds, rounds };
  return { embedded: await measureEmbedded(roleLoad), api: await measureApi(roleLoad) };
}

/** A pipeline needs real stores. */
async function startBaselines(
  load: Load,
  info: Bootstrap,
  stack: StackEnvironment | null,
): Promise<Readonly<Record<string, Contestant>>> {
  const samples = await sampleScores(info, stack);
  const start = async (
    name: 'echo' | 'pipeline',
    environment: Readonly<Record<string, string>>,
    probes: string | null,
  ): Promise<Contestant> => {
    const served = await serve<{ origin: string }>(new URL(`./${name}-server.js`, import.meta.url), environment);
    const target = { origin: served.info.origin, path: `/${name}`, headers: {} };
    return { served, target, sessions: createSessions(load, probes === null ? null : { ...target, path: probes }) };
  };
  const echo = await start('echo', { ECHO_ANSWER: JSON.stringify(samples.probed.reply) }, null);
  if (stack === null) return { echo };
  return { pipeline: await start('pipeline', { ...stack, PIPELINE_SAMPLES: JSON.stringify(samples) }, '/probe'), echo };
}
