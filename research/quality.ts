/**
 * Bench of what scoring catches: simulated panel traffic, replayed through the counters and the core, against an oracle that knows the
 * generator. Seeds of the test are none of the fit. Three markets: the published rates, rates shifted by up to half with kinds of
 * fraud that no fit has seen, and a second generator, written from the sources without knowledge of the first or of the rules. Simulated
 * accuracy is not field accuracy.
 */
import type { BenchResult } from '../bench/bench-result.js';
import { markdownTable } from '../bench/markdown.js';
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
import type { PanelSession } from './panel/sessions.js';
import { drawTraffic, isLeftOut } from './panel/traffic.js';
import * as second from './second/market.js';
import { drawSecondTraffic } from './second/traffic.js';

export interface QualityOptions {
  /** Sessions of the test; the oracle learns from three times as many. */
  readonly traffic: number;
}

const seeds = { test: 77, oracle: 9_077, market: 303 } as const;
const oracleShare = 3;
const falseBlockShare = 0.005;
const duplicationSample = 400;

interface Market {
  readonly name: string;
  readonly draw: (seed: number, sessions: number) => PanelSession[];
}

interface Run {
  readonly name: string;
  readonly ours: readonly ServiceScored[];
  readonly oracle: readonly Scored[];
  readonly replayed: readonly ReplayedSession[];
}

const firstMarkets: readonly Market[] = [
  { name: 'published rates', draw: (seed, sessions) => drawTraffic({ seed, sessions }) },
  { name: 'shifted rates', draw: (seed, sessions) => drawTraffic({ seed, sessions, market: seeds.market }) },
];
const secondMarket: Market = {
  name: 'second generator',
  draw: (seed, sessions) => drawSecondTraffic({ seed, sessions }),
};
const firstLabels: Labels = { fraud: fraudKinds, honest: honestGroups, isLeftOut };
const secondLabels: Labels = { fraud: second.fraudKinds, honest: second.honestGroups, isLeftOut: () => true };

export async function benchQuality({ traffic }: QualityOptions): Promise<BenchResult> {
  const runs: Run[] = [];
  for (const market of firstMarkets) runs.push(...(await runMarket(market, traffic)));
  const seconds = await runMarket(secondMarket, traffic);
  const table = `${tablesOf(runs, firstLabels)}\nA second generator:\n\n${tablesOf(seconds, secondLabels)}`;
  return { table, ratios: ratiosOf([...runs, ...seconds]) };
}

async function runMarket({ name, draw }: Market, traffic: number): Promise<Run[]> {
  const runs: Run[] = [];
  for (const withProbe of [false, true]) {
    // Drawn again each time: counters and histories begin empty.
    const oracle = trainOracle(await replayTraffic(draw(seeds.oracle, oracleShare * traffic), { withProbe }));
    const replayed = await replayTraffic(draw(seeds.test, traffic), { withProbe });
    runs.push({
      name: `${name}, ${withProbe ? 'with' : 'without'} probe`,
      replayed,
      ours: scoreAll(replayed),
      oracle: replayed.map((one) => withLevels(one.session, oracle(one))),
    });
  }
  return runs;
}

interface Labels {
  readonly fraud: readonly string[];
  readonly honest: readonly string[];
  readonly isLeftOut: (label: string) => boolean;
}

const percent = (share: number, digits = 1): string =>
  Number.isNaN(share) ? '–' : `${(100 * share).toFixed(digits)}%`;
const isFraud = ({ fraud }: Scored): boolean => fraud;

interface Figure {
  readonly name: string;
  readonly read: (scored: readonly Scored[], labels: Labels) => string;
}

const figures: readonly Figure[] = [
  { name: 'AUC of the probability', read: (scored) => aucOf(scored).toFixed(3) },
  { name: 'AUC of the score', read: (scored) => aucOf(scored, ({ score }) => score).toFixed(3) },
  { name: 'caught at 0.5% false blocks', read: (scored) => percent(caughtAt(scored, falseBlockShare)) },
  {
    name: 'of that, kinds left out of the fit',
    read: (scored, labels) =>
      percent(
        caughtAt(
          scored.filter(({ session, fraud }) => !fraud || labels.isLeftOut(session.truth.label)),
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

function worstGroup(scored: readonly Scored[], { honest }: Labels): string {
  const groups = honest
    .map((group) => scored.filter(({ session, fraud }) => !fraud && session.truth.label === group))
    .filter((group) => group.length >= groupMin);
  const worst = (holds: (one: Scored) => boolean): string =>
    percent(Math.max(...groups.map((group) => shareOf(group, holds))));
  return `${worst((one) => one.stopped)} / ${worst((one) => one.blocked)}`;
}

function tablesOf(runs: readonly Run[], labels: Labels): string {
  const rivals = runs.flatMap(({ ours, oracle }) => [ours, oracle] as const);
  const heads = runs.flatMap(({ name }) => [name, 'oracle']);
  const byLabel = [...labels.fraud, ...labels.honest].map((label) => [
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
      figures.map(({ name, read }) => [name, ...rivals.map((scored) => read(scored, labels))]),
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

/** By the run’s place: plain and probed on published rates, on shifted ones, and on the second generator’s. */
function ratiosOf(runs: readonly Run[]): Record<string, number> {
  const names = ['plain', 'probed', 'plainShifted', 'probedShifted', 'plainSecond', 'probedSecond'];
  return Object.fromEntries(
    runs.flatMap(({ ours, oracle }, n) => [
      [`${names[n]}AucLag`, aucOf(oracle) - aucOf(ours)],
      [`${names[n]}Caught`, caughtAt(ours, falseBlockShare) / caughtAt(oracle, falseBlockShare)],
      [`${names[n]}CalibrationError`, calibrationErrorOf(ours)],
    ]),
  );
}
