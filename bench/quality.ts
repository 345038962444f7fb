/**
 * Bench of what scoring catches: simulated panel traffic, replayed through the counters and the core, against an oracle that knows the
 * generator. Seeds of the test are none of the fit. Two markets: the published rates, and rates shifted by up to half with kinds of
 * fraud that no fit has seen. Simulated accuracy is not field accuracy.
 */
import type { BenchResult } from './bench-result.js';
import { markdownTable } from './markdown.js';
import { fraudKinds, honestGroups } from './panel/base-rates.js';
import { aucOf, calibrationErrorOf, caughtAt, shareOf } from './panel/measures.js';
import { trainOracle } from './panel/oracle.js';
import { replayTraffic, type ReplayedSession } from './panel/replay.js';
import {
  firstFlags,
  measureDuplicates,
  movedByDuplication,
  scoreAll,
  timeCore,
  withLevels,
  type Scored,
  type ServiceScored,
} from './panel/service.js';
import { drawTraffic, isLeftOut } from './panel/traffic.js';

export interface QualityOptions {
  /** Sessions of the test; the oracle learns from three times as many. */
  readonly traffic: number;
}

const seeds = { test: 77, oracle: 9_077, market: 303 } as const;
const oracleShare = 3;
const falseBlockShare = 0.005;
const duplicationSample = 400;

interface Run {
  readonly name: string;
  readonly ours: readonly ServiceScored[];
  readonly oracle: readonly Scored[];
  readonly replayed: readonly ReplayedSession[];
}

export async function benchQuality({ traffic }: QualityOptions): Promise<BenchResult> {
  const runs: Run[] = [];
  for (const [market, seed] of [
    ['published', undefined],
    ['shifted', seeds.market],
  ] as const)
    for (const withProbe of [false, true])
      runs.push(
        await run(`${market} rates, ${withProbe ? 'with' : 'without'} probe`, {
          traffic,
          withProbe,
          ...(seed === undefined ? {} : { market: seed }),
        }),
      );
  return { table: tablesOf(runs), ratios: ratiosOf(runs) };
}

async function run(
  name: string,
  { traffic, withProbe, market }: { traffic: number; withProbe: boolean; market?: number },
): Promise<Run> {
  const draw = (seed: number, sessions: number) =>
    drawTraffic({ seed, sessions, ...(market === undefined ? {} : { market }) });
  const oracle = trainOracle(await replayTraffic(draw(seeds.oracle, oracleShare * traffic), { withProbe }));
  const replayed = await replayTraffic(draw(seeds.test, traffic), { withProbe });
  return {
    name,
    replayed,
    ours: scoreAll(replayed),
    oracle: replayed.map((one) => withLevels(one.session, oracle(one))),
  };
}

const percent = (share: number, digits = 1): string =>
  Number.isNaN(share) ? '–' : `${(100 * share).toFixed(digits)}%`;
const isFraud = ({ fraud }: Scored): boolean => fraud;

interface Figure {
  readonly name: string;
  readonly read: (scored: readonly Scored[]) => string;
}

const figures: readonly Figure[] = [
  { name: 'AUC', read: (scored) => aucOf(scored).toFixed(3) },
  { name: 'caught at 0.5% false blocks', read: (scored) => percent(caughtAt(scored, falseBlockShare)) },
  {
    name: 'of that, kinds left out of the fit',
    read: (scored) =>
      percent(
        caughtAt(
          scored.filter(({ session, fraud }) => !fraud || isLeftOut(session.truth.label)),
          falseBlockShare,
        ),
      ),
  },
  { name: 'expected calibration error', read: (scored) => calibrationErrorOf(scored).toFixed(3) },
  { name: 'fraud stopped / blocked', read: (scored) => stopped(scored.filter(isFraud)) },
  { name: 'honest stopped / blocked', read: (scored) => stopped(scored.filter((one) => !one.fraud)) },
  { name: 'worst honest group stopped / blocked', read: worstGroup },
  { name: 'farms: sessions until one is stopped / never', read: (scored) => readFlags(firstFlags(scored)) },
];

const stopped = (scored: readonly Scored[]): string =>
  `${percent(shareOf(scored, (one) => one.stopped))} / ${percent(shareOf(scored, (one) => one.blocked))}`;

const readFlags = ({ median, never }: ReturnType<typeof firstFlags>): string => `${median} / ${percent(never)}`;

const groupMin = 40;

function worstGroup(scored: readonly Scored[]): string {
  const groups = honestGroups
    .map((group) => scored.filter(({ session, fraud }) => !fraud && session.truth.label === group))
    .filter((group) => group.length >= groupMin);
  const worst = (holds: (one: Scored) => boolean): string =>
    percent(Math.max(...groups.map((group) => shareOf(group, holds))));
  return `${worst((one) => one.stopped)} / ${worst((one) => one.blocked)}`;
}

function tablesOf(runs: readonly Run[]): string {
  const rivals = runs.flatMap(({ ours, oracle }) => [ours, oracle] as const);
  const heads = runs.flatMap(({ name }) => [name, 'oracle']);
  const byLabel = [...fraudKinds, ...honestGroups].map((label) => [
    label,
    ...rivals.map((scored) =>
      percent(
        shareOf(
          scored.filter(({ session }) => session.truth.label === label),
          (one) => one.stopped,
        ),
      ),
    ),
  ]);
  return [
    markdownTable(
      ['measure', ...heads],
      figures.map(({ name, read }) => [name, ...rivals.map(read)]),
    ),
    'Stopped (review or block), by kind of fraud and honest group:\n',
    markdownTable(['kind', ...heads], byLabel),
    'Duplicates that are likely or confirmed, and the core:\n',
    markdownTable(['measure', ...runs.map(({ name }) => name)], duplicateRows(runs)),
  ].join('\n');
}

function duplicateRows(runs: readonly Run[]): string[][] {
  const measured = runs.map(({ ours }) => measureDuplicates(ours));
  const moved = ({ replayed, ours }: Run): number => movedByDuplication(replayed.slice(0, duplicationSample), ours);
  return [
    ['precision', ...measured.map(({ precision }) => percent(precision))],
    ['precision of confirmed', ...measured.map(({ confirmedPrecision }) => percent(confirmedPrecision))],
    ['honest first visits flagged', ...measured.map(({ honestFlagged }) => percent(honestFlagged, 2))],
    ['recall on one device', ...measured.map(({ recall }) => percent(recall.same_device))],
    ['recall with storage cleared', ...measured.map(({ recall }) => percent(recall.cleared))],
    ['recall in a second browser', ...measured.map(({ recall }) => percent(recall.second_browser))],
    ['recall, a household on its one device', ...measured.map(({ recall }) => percent(recall.household))],
    ['recall, operators', ...measured.map(({ recall }) => percent(recall.operator))],
    ['scores that duplication moves', ...runs.map((one) => percent(moved(one)))],
    ['microseconds a session, batches of 16', ...runs.map(({ replayed }) => timeCore(replayed).toFixed(0))],
  ];
}

/** By the run’s place: plain and probed on published rates, then on shifted ones. */
function ratiosOf(runs: readonly Run[]): Record<string, number> {
  const names = ['plain', 'probed', 'plainShifted', 'probedShifted'];
  return Object.fromEntries(
    runs.flatMap(({ ours, oracle }, n) => [
      [`${names[n]}AucLag`, aucOf(oracle) - aucOf(ours)],
      [`${names[n]}Caught`, caughtAt(ours, falseBlockShare) / caughtAt(oracle, falseBlockShare)],
      [`${names[n]}CalibrationError`, calibrationErrorOf(ours)],
    ]),
  );
}
