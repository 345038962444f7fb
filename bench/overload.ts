/**
 * Bench of too much work: `POST /lite/score` at four times the rate that the service can answer, on the running stack, or on embedded
 * stores where none runs; half of the sessions with a probe.
 *
 * Reports medians of rounds: the requests still answered, as a share of the closed loop's; how soon the rest are refused, and whether each
 * refusal says when to retry; and how long until the median latency is back to normal. Each round measures the closed loop again,
 * because the machine may have other work.
 */
import type { BenchResult } from './bench-result.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { createLoad, median, quantile, type Exchange } from './load.js';
import { markdownTable } from './markdown.js';
import { serve } from './process.js';
import { saturate, scoring, settle, type Contestant } from './score-rounds.js';
import { tableOfTargets } from './score-targets.js';
import { findStack, withStack } from './stack.js';
import { warmUp, warmUpDefault, type WarmUp } from './score-turns.js';

export interface OverloadOptions {
  /** Length of the overload; what is normal is measured for as long, what comes after for three times as long, 8 s at most. */
  readonly seconds: number;
  readonly rounds: number;
  readonly warm?: WarmUp;
  /** Default: on the stack where one runs. */
  readonly embedded?: boolean;
}

const connections = 64;
/** An overload comes from many callers, over connections that they keep; more are opened where these are all in use. */
const connectionsKept = 1_000;
const connectionsMax = 4_000;
const times = 4;
/** The share of saturation, before and after. */
const normalShare = 0.5;
const afterSecondsMax = 8;
const afterTimes = 3;
/** The first of these in which the median is normal again ends what came of it. */
const windowMs = 250;
const normalTimes = 2;

interface OverloadRound {
  readonly perSecond: number;
  readonly usefulShare: number;
  readonly answeredP50: number;
  /** Latency of refusals, milliseconds. */
  readonly refusedP50: number;
  readonly refusedP95: number;
  readonly refusedShare: number;
  /** Neither answered nor refused with a time to come again. */
  readonly errors: number;
  readonly cpuPerRefusal: number;
  readonly normalP50: number;
  readonly backSeconds: number;
}

export async function benchOverload(options: OverloadOptions): Promise<BenchResult> {
  if (options.embedded ?? findStack() === null) return run(options, {});
  return withStack((stack) => run(options, stack));
}

async function run(
  { seconds, rounds, warm = warmUpDefault }: OverloadOptions,
  environment: Readonly<Record<string, string>>,
): Promise<BenchResult> {
  const service = await serve<Bootstrap>(new URL('./service-server.js', import.meta.url), environment);
  try {
    const load = createLoad(connections);
    const contestant = scoring(service, load);
    await warmUp(load, contestant, warm);
    const measured: OverloadRound[] = [];
    for (let round = 0; round < rounds; round += 1) measured.push(await overload(contestant, seconds));
    return report(measured);
  } finally {
    await service.stop();
  }
}

async function overload(contestant: Contestant, seconds: number): Promise<OverloadRound> {
  const { served, target, sessions } = contestant;
  const rest = (): Promise<void> => settle([served], seconds);
  const body = await sessions.take(seconds * 2_000);
  await rest();
  const few = createLoad(connections);
  const { perSecond, cpuPerRequest } = await saturate(few, contestant, body, { seconds, stack: null });
  const tooMuch = { perSecond: perSecond * times, seconds };
  const afterSeconds = Math.min(afterSecondsMax, seconds * afterTimes);
  const normal = { perSecond: perSecond * normalShare, seconds: afterSeconds };
  const count = tooMuch.perSecond * seconds + normal.perSecond * (seconds + afterSeconds);
  const next = { ...target, body: await sessions.take(count) };
  const calm = { ...target, body: await sessions.take(normal.perSecond * seconds) };
  await rest();
  const { latenciesMs } = await few.open(calm, normal.perSecond, seconds);
  const normalP50 = quantile(latenciesMs, 0.5);
  const exchanges: Exchange[] = [];
  const before = served.cpuMicroseconds();
  let used = 0;
  await createLoad(connectionsMax).each(next, {
    stages: [tooMuch, normal],
    opened: connectionsKept,
    onExchange: (exchange) => exchanges.push(exchange),
    stageEnded: (stage) => {
      if (stage === 0) used = served.cpuMicroseconds() - before;
    },
  });
  const isAfter = ({ sentMs }: Exchange): boolean => sentMs >= seconds * 1_000;
  const figures = figuresOf(
    exchanges.filter((exchange) => !isAfter(exchange)),
    seconds,
  );
  return {
    perSecond,
    normalP50,
    ...figures,
    usefulShare: figures.answers / seconds / perSecond,
    cpuPerRefusal: (used - figures.answers * cpuPerRequest) / figures.refusals,
    backSeconds: secondsUntil(exchanges.filter(isAfter), [seconds, seconds + afterSeconds], normalP50 * normalTimes),
  };
}

function figuresOf(exchanges: readonly Exchange[], seconds: number) {
  const answered = exchanges.filter(({ status }) => status === 200);
  const refused = exchanges.filter(({ status, head }) => status === 503 && /^retry-after: \d+/im.test(head));
  const latencies = (of: readonly Exchange[]): Float64Array =>
    Float64Array.from(of, ({ latencyMs }) => latencyMs).sort();
  return {
    // An accepted call that is answered after the end does not count: its caller may have gone.
    answers: answered.filter(({ sentMs, latencyMs }) => sentMs + latencyMs <= seconds * 1_000).length,
    refusals: refused.length,
    answeredP50: quantile(latencies(answered), 0.5),
    refusedP50: quantile(latencies(refused), 0.5),
    refusedP95: quantile(latencies(refused), 0.95),
    refusedShare: refused.length / exchanges.length,
    errors: exchanges.length - answered.length - refused.length,
  };
}

/** Until the first window whose median is at most `p50Max` milliseconds; all of the time where there is none. */
function secondsUntil(after: readonly Exchange[], [from, to]: readonly [number, number], p50Max: number): number {
  for (let fromMs = from * 1_000; fromMs < to * 1_000; fromMs += windowMs) {
    const window = after.filter(({ sentMs }) => sentMs >= fromMs && sentMs < fromMs + windowMs);
    const latencies = window.map(({ status, latencyMs }) => (status === 200 ? latencyMs : Infinity));
    if (window.length > 0 && median(latencies) <= p50Max) return fromMs / 1_000 - from;
  }
  return to - from;
}

function report(rounds: readonly OverloadRound[]): BenchResult {
  const middle = (figure: keyof OverloadRound): number => median(rounds.map((round) => round[figure]));
  const ratios = {
    usefulShare: middle('usefulShare'),
    refusedP50: middle('refusedP50'),
    refusedP95: middle('refusedP95'),
    backSeconds: middle('backSeconds'),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
  };
  const columns = [
    ['closed loop/s', 'perSecond', 0],
    ['useful share', 'usefulShare', 2],
    ['p50 ms answered', 'answeredP50', 0],
    ['share refused', 'refusedShare', 2],
    ['p50 ms refused', 'refusedP50', 0],
    ['p95 ms refused', 'refusedP95', 0],
    ['CPU us a refusal', 'cpuPerRefusal', 0],
    ['p50 ms before', 'normalP50', 1],
    ['s until back', 'backSeconds', 2],
  ] as const;
  return {
    table: [
      `${times} times saturation, ${ratios.errors} errors\n`,
      markdownTable(
        columns.map(([name]) => name),
        rounds.map((round) => columns.map(([, figure, digits]) => round[figure].toFixed(digits))),
      ),
      tableOfTargets('under overload', ratios, [
        { measure: 'useful share of saturation', figures: ['usefulShare'], floor: 0.7, aim: 0.9, more: true },
        { measure: 'refusals, p50 and p95, ms', figures: ['refusedP50', 'refusedP95'], floor: 50 },
        { measure: 'seconds until p50 is back to normal', figures: ['backSeconds'], floor: 5 },
      ]),
    ].join('\n'),
    ratios,
  };
}
