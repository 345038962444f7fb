/** The table and the ratios of the score bench. */
import type { BenchResult } from './bench-result.js';
import { median } from './load.js';
import type { RoleMeasured } from './score-roles.js';
import type { Measured, Name, RateRound, Round } from './score-rounds.js';
import { scoreTargets } from './score-targets.js';

export type Roles = Partial<Readonly<Record<'embedded' | 'api', RoleMeasured>>>;

interface Context {
  readonly rates: readonly number[];
  /** The rate at 70% of the service’s saturation. */
  readonly saturation: number;
  readonly rssPeakBytes: number;
  /** Of the service alone, after the turns. */
  readonly roles: Roles;
}

const rateFigures = ['cpuPerRequest', 'wakeUpsPerRequest', 'p50', 'p95', 'p99'] as const;
type RateFigure = (typeof rateFigures)[number];

const round3 = (value: number): number => Math.round(value * 1_000) / 1_000;

export function reportScores(measured: Readonly<Record<Name, Measured>>, context: Context): BenchResult {
  const { roles } = context;
  const errors = [
    ...Object.values(measured).flatMap(({ rounds, rates }) => [...rounds, ...rates]),
    ...Object.values(roles),
  ].reduce((sum, round) => sum + round.errors, 0);
  const score = measured.score;
  const baseline = measured.pipeline.rounds.length > 0 ? measured.pipeline : measured.echo;
  const names = (['score', 'echo', 'pipeline'] as const).filter((name) => measured[name].rounds.length > 0);
  const ratios = { ...ratiosOf(score, baseline, context), ...figuresOf(measured, roles), errors };
  const lines = [
    `${score.rounds.length} rounds in turns, ${errors} errors, peak memory ${megabytes(context.rssPeakBytes)} MB`,
    `${'closed loop'.padEnd(22)}answers/s  spread       CPU us  Redis us`,
    ...names.map((name) => saturationLine(name, measured[name])),
    ...[...context.rates, context.saturation].flatMap((rate) => [
      `${`at ${Math.round(rate)}/s`.padEnd(22)}CPU us  wake-ups  p50 ms  p95 ms  p99 ms`,
      ...names.map((name) => rateLine(name, measured[name], rate)),
    ]),
    `${'stalls at that rate'.padEnd(22)}p99 ms  longest ms`,
    ...names.map((name) => stallLine(name, measured[name])),
    `${'alone'.padEnd(22)}answers/s  CPU us  memory MB`,
    ...Object.entries(roles).map(([name, role]) => roleLine(name, role)),
    ...scoreTargets(ratios, context.rates),
  ];
  return { table: lines.join('\n'), ratios };
}

const megabytes = (bytes: number): number => Math.round(bytes / 1_048_576);

const stalls = ({ rates }: Measured, figure: 'p99Ms' | 'maxMs'): number =>
  median(rates.flatMap(({ loop }) => (loop === null ? [] : loop[figure])));

const stallLine = (name: string, measured: Measured): string =>
  `${name.padEnd(22)}${stalls(measured, 'p99Ms').toFixed(1).padEnd(8)}${stalls(measured, 'maxMs').toFixed(1)}`;

const roleLine = (name: string, { perSecond, cpuPerRequest, rssBytes }: RoleMeasured): string =>
  `${name.padEnd(22)}${perSecond.toFixed(0).padEnd(11)}${cpuPerRequest.toFixed(0).padEnd(8)}${megabytes(rssBytes)}`;

/** Figures that are compared with nothing. */
function figuresOf(measured: Readonly<Record<Name, Measured>>, { embedded, api }: Roles): Record<string, number> {
  return {
    loopDelayP99: round3(stalls(measured.score, 'p99Ms')),
    ...(embedded && {
      embeddedPerSecond: Math.round(embedded.perSecond),
      embeddedRssMegabytes: megabytes(embedded.rssBytes),
    }),
    ...(api && { apiRssMegabytes: megabytes(api.rssBytes) }),
  };
}

function saturationLine(name: string, measured: Measured): string {
  const rounds = measured.rounds;
  const rates = rounds.map(({ perSecond }) => perSecond);
  const spread = `${Math.round(Math.min(...rates))}-${Math.round(Math.max(...rates))}`;
  const cpu = median(rounds.map(({ cpuPerRequest }) => cpuPerRequest)).toFixed(0);
  const redis = median(rounds.map(({ redisPerRequest }) => redisPerRequest)).toFixed(0);
  return `${name.padEnd(22)}${median(rates).toFixed(0).padEnd(11)}${spread.padEnd(13)}${cpu.padEnd(8)}${redis}`;
}

function rateLine(name: string, measured: Measured, rate: number): string {
  const figure = (which: RateFigure): number => rateMedian(measured, rate, which);
  return [
    name.padEnd(22),
    figure('cpuPerRequest').toFixed(0).padEnd(8),
    figure('wakeUpsPerRequest').toFixed(1).padEnd(10),
    ...(['p50', 'p95', 'p99'] as const).map((which) => figure(which).toFixed(1).padEnd(8)),
  ].join('');
}

const rateMedian = (measured: Measured, rate: number, figure: RateFigure): number =>
  median(measured.rates.filter((round) => round.rate === rate).map((round) => round[figure]));

/** The service against the empty pipeline, or the echo where there is none. */
function ratiosOf(score: Measured, baseline: Measured, { rates, saturation }: Context): Record<string, number> {
  const perSecond = (of: Measured): number => median(of.rounds.map((round) => round.perSecond));
  const cpu = (of: Measured): number => median(of.rounds.map((round) => round.cpuPerRequest));
  const at = (label: string, rate: number): [string, number][] =>
    rateFigures.map((figure) => [
      `${figure}At${label}`,
      round3(rateMedian(score, rate, figure) / rateMedian(baseline, rate, figure)),
    ]);
  return {
    throughputRatio: round3(perSecond(score) / perSecond(baseline)),
    cpuRatio: round3(cpu(score) / cpu(baseline)),
    cpuNoise: noiseOf(score.rounds, baseline.rounds),
    scoresPerSecond: Math.round(perSecond(score)),
    redisMicroseconds: Math.round(median(score.rounds.map((round) => round.redisPerRequest))),
    ...Object.fromEntries([...rates.flatMap((rate) => at(String(rate), rate)), ...at('Saturation', saturation)]),
    ...Object.fromEntries(
      rates.map((rate) => [`cpuNoiseAt${rate}`, noiseOf(atRate(score, rate), atRate(baseline, rate))]),
    ),
  };
}

const atRate = ({ rates }: Measured, rate: number): readonly RateRound[] =>
  rates.filter((round) => round.rate === rate);

/** How far the ratio of CPU in one pair of rounds lay from that in the middle one at most, as a share of it: what the machine did, not the code. */
function noiseOf(ours: readonly HasCpu[], theirs: readonly HasCpu[]): number {
  const ratios = ours.map((round, index) => round.cpuPerRequest / (theirs[index]?.cpuPerRequest ?? NaN));
  const middle = median(ratios);
  return round3(Math.max(...ratios.map((ratio) => Math.abs(ratio - middle))) / middle);
}

type HasCpu = Pick<Round, 'cpuPerRequest'>;
