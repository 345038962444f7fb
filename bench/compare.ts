/**
 * Compares two commits on this machine and on the running stack. The bench of scores runs both services next to each other and loads them in
 * turns; any other bench runs whole, one round of each commit in turns.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import type { BenchResult } from './bench-result.js';
import { runIn, withCheckouts } from './checkout.js';
import { createLoad, median } from './load.js';
import { markdownTable } from './markdown.js';
import { serve } from './process.js';
import { ratesDefault } from './score.js';
import { scoring, type Contestant } from './score-rounds.js';
import {
  holdInTurns,
  saturateInTurns,
  warmUpDefault,
  warmUpInTurns,
  type Measured,
  type WarmUp,
} from './score-turns.js';
import { findStack, withStack, type StackEnvironment } from './stack.js';

export interface CompareOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly rates?: readonly number[];
  readonly warm?: WarmUp;
}

/** Figures of one commit: values by figure, one for each round. */
type Figures = ReadonlyMap<string, readonly number[]>;

export const benchCompare = (
  commits: readonly string[],
  bench: string,
  options: CompareOptions,
): Promise<BenchResult> => {
  if (commits.length !== 2) throw new Error('Name two commits: npm run bench -- compare A B.');
  return withCheckouts(commits, async (directories) => {
    const figures =
      bench === 'score' ? await compareScores(directories, options) : await compareRuns(directories, bench, options);
    return report(commits, figures);
  });
};

/** `directories` hold built checkouts. */
export async function compareScores(
  directories: readonly string[],
  options: CompareOptions,
): Promise<readonly Figures[]> {
  const { seconds, rounds, rates = ratesDefault, warm = warmUpDefault } = options;
  const load = createLoad(64);
  const start = async (directory: string, environment: Partial<StackEnvironment>): Promise<Contestant> => {
    const entry = pathToFileURL(join(directory, 'dist/bench/service-server.js'));
    return scoring(await serve<Bootstrap>(entry, environment), load);
  };
  const measure = async (
    contestants: readonly Contestant[],
    stack: StackEnvironment | null,
  ): Promise<readonly Figures[]> => {
    try {
      const turns = { load, contestants, seconds, rounds, stack };
      const results = await warmUpInTurns(turns, warm);
      await saturateInTurns(turns, results);
      for (const rate of rates) await holdInTurns(turns, results, rate);
      return [...results.values()].map((measured) => figuresOf(measured, rates));
    } finally {
      await Promise.all(contestants.map(({ served }) => served.stop()));
    }
  };
  const [first = '', second = ''] = directories;
  if (findStack() === null)
    return measure(await Promise.all(directories.map((directory) => start(directory, {}))), null);
  return withStack((one) =>
    withStack(async (other) => measure(await Promise.all([start(first, one), start(second, other)]), other)),
  );
}

function figuresOf({ rounds, rates: held }: Measured, rates: readonly number[]): Figures {
  return new Map([
    ['requests/s', rounds.map((round) => round.perSecond)],
    ['CPU us', rounds.map((round) => round.cpuPerRequest)],
    ['CPU us of Redis', rounds.map((round) => round.redisPerRequest)],
    ['KB allocated', rounds.map((round) => round.allocatedPerRequest / 1_000)],
    ...rates.flatMap((rate) => {
      const of = held.filter((round) => round.rate === rate);
      return [
        [`CPU us at ${rate}/s`, of.map((round) => round.cpuPerRequest)],
        [`p50 ms at ${rate}/s`, of.map((round) => round.p50)],
        [`p95 ms at ${rate}/s`, of.map((round) => round.p95)],
      ] as const;
    }),
  ]);
}

/** The figures are those of the last line that a bench prints. */
async function compareRuns(
  directories: readonly string[],
  bench: string,
  { seconds, rounds }: CompareOptions,
): Promise<readonly Figures[]> {
  const figures = directories.map(() => new Map<string, number[]>());
  for (let round = 0; round < rounds; round += 1) {
    for (const [n, directory] of directories.entries()) {
      const args = ['dist/bench/run.js', bench, '--rounds', '1', '--seconds', String(seconds)];
      const output = await runIn(directory, process.execPath, ...args);
      const ratios = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as BenchResult['ratios'];
      for (const [name, value] of Object.entries(ratios))
        figures[n]?.set(name, [...(figures[n]?.get(name) ?? []), value]);
    }
  }
  return figures;
}

const format = (value: number): string => value.toFixed(value >= 100 ? 0 : 2);

/** Ratios are of rounds that followed each other. */
export function report(commits: readonly string[], [before, after]: readonly Figures[]): BenchResult {
  const ratios: Record<string, number> = {};
  const rows = [...(after ?? [])].flatMap(([name, ours]) => {
    const theirs = before?.get(name) ?? [];
    const pairs = ours.map((value, round) => value / (theirs[round] ?? NaN)).filter(Number.isFinite);
    if (pairs.length === 0) return [];
    ratios[name] = Math.round(median(pairs) * 1_000) / 1_000;
    const spread = `${Math.min(...pairs).toFixed(2)} to ${Math.max(...pairs).toFixed(2)}`;
    return [[name, format(median(theirs)), format(median(ours)), median(pairs).toFixed(2), spread]];
  });
  const [a = '', b = ''] = commits;
  return { table: markdownTable(['', a, b, 'ratio', 'spread'], rows), ratios };
}
