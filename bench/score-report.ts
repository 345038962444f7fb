/** Tables and ratios of the score bench. */
import { cpus } from 'node:os';
import type { BenchResult } from './bench-result.js';
import { median } from './load.js';
import { markdownTable } from './markdown.js';
import type { RoleMeasured } from './score-roles.js';
import type { RateRound, Round } from './score-rounds.js';
import { scoreTargets, tableOfTargets } from './score-targets.js';
import type { Measured } from './score-turns.js';

export type Roles = Partial<Readonly<Record<'embedded' | 'api', RoleMeasured>>>;

interface Context {
  readonly seconds: number;
  readonly rates: readonly number[];
  /** The rate at 70% of the service’s saturation. */
  readonly saturation: number;
  readonly rssPeakBytes: number;
  /** The service without the baselines, measured last. */
  readonly roles: Roles;
}

const rateFigures = ['cpuPerRequest', 'wakeUpsPerRequest', 'p50', 'p95', 'p99'] as const;
type RateFigure = (typeof rateFigures)[number] | 'allocatedPerRequest';
type RoundFigure = Exclude<keyof Round, 'errors'>;

/** The first is the service, the second what it is compared with. */
export function reportScores(results: ReadonlyMap<string, Measured>, context: Context): BenchResult {
  const { roles, rates, saturation, seconds } = context;
  const [service, baseline] = [...results.values()] as [Measured, Measured];
  const [, baselineName = ''] = [...results.keys()];
  const all = [...results.values()].flatMap((one) => [one.first, ...one.rounds, ...one.rates]);
  const errors = [...all, ...Object.values(roles)].reduce((sum, round) => sum + (round?.errors ?? 0), 0);
  const ratios = { ...ratiosOf(service, baseline, context), ...figuresOf(service, roles), errors };
  const [cpu] = cpus();
  const title = baselineName === 'pipeline' ? 'times the mandatory pipeline’s' : `times the ${baselineName}’s`;
  const tables = [
    `Node.js ${process.version}, ${cpus().length} × ${cpu?.model ?? ''}: ${service.rounds.length} rounds of ${seconds} s in turns, ${errors} errors, peak memory ${megabytes(context.rssPeakBytes)} MB.\n`,
    tableOfTargets(title, ratios, scoreTargets(rates)),
    roundTable('closed loop', results, ({ rounds }) => rounds),
    roundTable('first minute', results, ({ first }) => (first === null ? [] : [first])),
    ...[...rates, saturation].map((rate) => rateTable(results, rate)),
    roleTable(context),
  ];
  return { table: tables.join('\n'), ratios };
}

const round3 = (value: number): number => Math.round(value * 1_000) / 1_000;
const megabytes = (bytes: number): number => Math.round(bytes / 1_048_576);
const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(0);
const middle = (rounds: readonly Round[], figure: RoundFigure): number => median(rounds.map((round) => round[figure]));
const atRate = ({ rates }: Measured, rate: number): readonly RateRound[] =>
  rates.filter((round) => round.rate === rate);
const middleAt = (measured: Measured, rate: number, figure: RateFigure): number =>
  median(atRate(measured, rate).map((round) => round[figure]));
const delays = ({ rates }: Measured, figure: 'p99Ms' | 'maxMs'): number =>
  median(rates.flatMap(({ delay }) => delay?.[figure] ?? []));

function roundTable(
  title: string,
  results: ReadonlyMap<string, Measured>,
  read: (measured: Measured) => readonly Round[],
): string {
  const rows = [...results].map(([name, measured]) => {
    const rounds = read(measured);
    const perSecond = rounds.map((round) => round.perSecond);
    return [
      name,
      middle(rounds, 'requests').toFixed(0),
      middle(rounds, 'perSecond').toFixed(0),
      `${Math.min(...perSecond).toFixed(0)} to ${Math.max(...perSecond).toFixed(0)}`,
      middle(rounds, 'cpuPerRequest').toFixed(0),
      middle(rounds, 'redisPerRequest').toFixed(0),
      kilobytes(middle(rounds, 'allocatedPerRequest')),
    ];
  });
  return markdownTable([title, 'requests', 'requests/s', 'spread', 'CPU us', 'CPU us of Redis', 'KB allocated'], rows);
}

function rateTable(results: ReadonlyMap<string, Measured>, rate: number): string {
  const rows = [...results].map(([name, measured]) => [
    name,
    middleAt(measured, rate, 'cpuPerRequest').toFixed(0),
    middleAt(measured, rate, 'wakeUpsPerRequest').toFixed(1),
    ...(['p50', 'p95', 'p99'] as const).map((figure) => middleAt(measured, rate, figure).toFixed(1)),
    kilobytes(middleAt(measured, rate, 'allocatedPerRequest')),
  ]);
  return markdownTable([`at ${rate}/s`, 'CPU us', 'wake-ups', 'p50 ms', 'p95 ms', 'p99 ms', 'KB allocated'], rows);
}

function roleTable({ roles }: Context): string {
  const rows = Object.entries(roles).map(([name, { perSecond, cpuPerRequest, cpuPerProbe, rssBytes }]) => [
    name === 'api' ? 'role api' : 'embedded stores',
    perSecond.toFixed(0),
    cpuPerRequest.toFixed(0),
    cpuPerProbe.toFixed(0),
    megabytes(rssBytes).toFixed(0),
  ]);
  return rows.length === 0
    ? ''
    : markdownTable(['alone', 'requests/s', 'CPU us', 'CPU us a probe message', 'memory MB'], rows);
}

/** Figures that are compared with nothing. */
function figuresOf(service: Measured, { embedded, api }: Roles): Record<string, number> {
  return {
    scoresPerSecond: Math.round(middle(service.rounds, 'perSecond')),
    redisMicroseconds: Math.round(middle(service.rounds, 'redisPerRequest')),
    allocatedKilobytes: Math.round(middle(service.rounds, 'allocatedPerRequest') / 1_000),
    delayP99: round3(delays(service, 'p99Ms')),
    delayMax: round3(delays(service, 'maxMs')),
    ...(embedded && {
      embeddedPerSecond: Math.round(embedded.perSecond),
      embeddedRssMegabytes: megabytes(embedded.rssBytes),
    }),
    ...(api && { apiRssMegabytes: megabytes(api.rssBytes) }),
  };
}

function ratiosOf(service: Measured, baseline: Measured, { rates, saturation }: Context): Record<string, number> {
  const ratio = (figure: RoundFigure): number =>
    round3(middle(service.rounds, figure) / middle(baseline.rounds, figure));
  const at = (label: string, rate: number): [string, number][] =>
    rateFigures.map((figure) => [
      `${figure}At${label}`,
      round3(middleAt(service, rate, figure) / middleAt(baseline, rate, figure)),
    ]);
  return {
    throughputRatio: ratio('perSecond'),
    cpuRatio: ratio('cpuPerRequest'),
    cpuNoise: noiseOf(service.rounds, baseline.rounds),
    firstMinuteCpuRatio: round3((service.first?.cpuPerRequest ?? NaN) / (baseline.first?.cpuPerRequest ?? NaN)),
    ...Object.fromEntries([...rates.flatMap((rate) => at(String(rate), rate)), ...at('Saturation', saturation)]),
    ...Object.fromEntries(
      rates.map((rate) => [`cpuNoiseAt${rate}`, noiseOf(atRate(service, rate), atRate(baseline, rate))]),
    ),
  };
}

/** The largest distance of one pair of rounds from the middle ratio of CPU, as a share of it: what the machine did, not the code. */
function noiseOf(ours: readonly HasCpu[], theirs: readonly HasCpu[]): number {
  const ratios = ours.map((round, index) => round.cpuPerRequest / (theirs[index]?.cpuPerRequest ?? NaN));
  const center = median(ratios);
  return round3(Math.max(...ratios.map((ratio) => Math.abs(ratio - center))) / center);
}

type HasCpu = Pick<Round, 'cpuPerRequest'>;
