/**
 * Bench of `POST /lite/score`: the service on embedded stores against a bare Fastify that reads the same bodies and sends answers of
 * the same size, in the same run and in turns. Reported: throughput ratio, CPU time per request ratio (all threads of the process), and latency in an open
 * loop at 70% of saturation. Every fourth session has a probe. Bodies are made from a fixed seed before the clock starts.
 */
import { probeExample, scoreExample } from '../src/scoring/examples.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { createLoad, median, quantile, type Load, type Target } from './load.js';
import { serve, type Served } from './process.js';

export interface BenchOptions {
  /** Length of one round. */
  readonly seconds: number;
  readonly rounds: number;
  readonly connections?: number;
}

export interface BenchResult {
  readonly table: string;
  readonly ratios: Readonly<Record<string, number>>;
}

const seed = 20_261;
const bodiesMax = 40_000;
const probeEvery = 4;
const saturationShare = 0.7;

interface Round {
  readonly perSecond: number;
  readonly cpuPerRequest: number;
  readonly errors: number;
}

export async function benchScore({ seconds, rounds, connections = 48 }: BenchOptions): Promise<BenchResult> {
  const service = await serve<Bootstrap>(new URL('./service-server.js', import.meta.url));
  const echo = await serve<{ origin: string }>(new URL('./echo-server.js', import.meta.url), {
    ECHO_ANSWER: await sampleAnswer(service.info),
  });
  try {
    const load = createLoad(connections);
    const bodies = makeBodies(Math.min(bodiesMax, Math.ceil(seconds * rounds * 8_000)));
    let offset = 0;
    const body = (n: number): string => bodies[(offset + n) % bodies.length] ?? '';
    const scoring: Target = {
      origin: service.info.siteUrl,
      path: '/api/v1/lite/score',
      headers: { 'x-api-key': service.info.projectKey },
      body,
    };
    const echoing: Target = { origin: echo.info.origin, path: '/echo', headers: {}, body };
    await sendProbes(load, service.info, Math.min(bodies.length, 8_000) / probeEvery);
    await load.closed(scoring, Math.min(seconds, 2));
    await load.closed(echoing, Math.min(seconds, 1));

    const ours: Round[] = [];
    const theirs: Round[] = [];
    for (let round = 0; round < rounds; round += 1) {
      offset += Math.floor(bodies.length / (rounds + 2));
      ours.push(await measure(load, service, scoring, seconds));
      theirs.push(await measure(load, echo, echoing, seconds));
    }
    const saturation = median(ours.map(({ perSecond }) => perSecond));
    const { latenciesMs, errors } = await load.open(scoring, saturation * saturationShare, seconds);
    return report(ours, theirs, {
      p50: quantile(latenciesMs, 0.5),
      p95: quantile(latenciesMs, 0.95),
      p99: quantile(latenciesMs, 0.99),
      errors,
    });
  } finally {
    await Promise.all([service.stop(), echo.stop()]);
  }
}

async function measure(load: Load, served: Served<unknown>, target: Target, seconds: number): Promise<Round> {
  const before = served.cpuMicroseconds();
  const { answers, errors, perSecond } = await load.closed(target, seconds);
  return { perSecond, errors, cpuPerRequest: (served.cpuMicroseconds() - before) / answers };
}

/** One answer of ours, for the baseline to send. */
async function sampleAnswer({ baseUrl, projectKey }: Bootstrap): Promise<string> {
  const answer = await fetch(`${baseUrl}/lite/score`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': projectKey },
    body: JSON.stringify({ ...scoreExample, sessionId: 'sample' }),
  });
  return answer.text();
}

async function sendProbes(load: Load, { siteUrl, probeKey }: Bootstrap, count: number): Promise<void> {
  const probe = (n: number): string =>
    JSON.stringify({
      ...probeExample(probeKey),
      sessionId: `bench-${seed}-${n * probeEvery}`,
      nonce: `nonce-${seed}-${n}`,
    });
  await load.open(
    { origin: siteUrl, path: '/api/v1/public/lite/probe', headers: {}, body: probe },
    1_000,
    count / 1_000,
  );
}

/** Distinct sessions of some thousands of respondents, studies and addresses. */
function makeBodies(count: number): readonly string[] {
  let state = seed;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  return Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      ...scoreExample,
      sessionId: `bench-${seed}-${n}`,
      clientIp: `${1 + random(200)}.${random(256)}.${random(256)}.${1 + random(254)}`,
      studyId: `study-${random(50)}`,
      sourceId: `supplier-${random(20)}`,
      respondentId: `respondent-${random(1_000_000)}`,
    }),
  );
}

function report(
  ours: readonly Round[],
  theirs: readonly Round[],
  latency: { p50: number; p95: number; p99: number; errors: number },
): BenchResult {
  const perSecond = median(ours.map((round) => round.perSecond));
  const echoPerSecond = median(theirs.map((round) => round.perSecond));
  const cpu = median(ours.map((round) => round.cpuPerRequest));
  const echoCpu = median(theirs.map((round) => round.cpuPerRequest));
  const spread = (rounds: readonly Round[]): string =>
    `${Math.round(Math.min(...rounds.map((round) => round.perSecond)))}-${Math.round(Math.max(...rounds.map((round) => round.perSecond)))}`;
  const errors = [...ours, ...theirs].reduce((sum, round) => sum + round.errors, latency.errors);
  const lines = [
    `seed ${seed}, ${ours.length} rounds in turns, ${errors} errors`,
    '               answers/s   spread          CPU us/request',
    `score          ${perSecond.toFixed(0).padEnd(12)}${spread(ours).padEnd(16)}${cpu.toFixed(0)}`,
    `echo           ${echoPerSecond.toFixed(0).padEnd(12)}${spread(theirs).padEnd(16)}${echoCpu.toFixed(0)}`,
    `latency at ${Math.round(saturationShare * 100)}% of saturation: p50 ${latency.p50.toFixed(1)} ms, p95 ${latency.p95.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms`,
  ];
  const round = (value: number): number => Math.round(value * 1_000) / 1_000;
  return {
    table: lines.join('\n'),
    ratios: {
      throughputRatio: round(perSecond / echoPerSecond),
      cpuRatio: round(cpu / echoCpu),
      scoresPerSecond: Math.round(perSecond),
      p50Ms: round(latency.p50),
      p95Ms: round(latency.p95),
      p99Ms: round(latency.p99),
      errors,
    },
  };
}
