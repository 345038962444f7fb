/** Figures of the reports from counted sessions. Pure. */
import {
  type CalibrationReply,
  type Estimate,
  type LabelledCell,
  type SourceCell,
  type SourceReport,
} from '../../src/contract/reports.js';
import { driftSessionsMin } from '../../src/contract/report-constants.js';
import { sourcesMax, type Mix } from '../../src/contract/thresholds.js';
import { expectedAt } from '../scoring/probability.js';
import { evidenceScoreOf } from '../scoring/verdict.js';
import { betaQuantile } from './statistics.js';

/** Sessions that the project’s own share stands for in a source’s, and what a project’s leans on before it has labels. */
const sourcePrior = 20;
const projectPrior = { share: 0.05, sessions: 2 };
const normal95 = 1.96;

export function reportSources(cells: readonly SourceCell[]): SourceReport[] {
  const bySource = groupBy(cells, ({ sourceId }) => sourceId);
  const project = shareOf(countLabels(cells.filter(isAsked)), projectPrior);
  return [...bySource]
    .map(([sourceId, own]) => ({ sourceId, own, sessions: sum(own.filter(isAsked), ({ count }) => count) }))
    .filter(({ sessions }) => sessions > 0)
    .sort((a, b) => b.sessions - a.sessions || inOrder(a.sourceId, b.sourceId))
    .slice(0, sourcesMax)
    .map(({ sourceId, own, sessions }) => reportSource(sourceId === '' ? null : sourceId, own, sessions, project))
    .sort((a, b) => rankOf(b) - rankOf(a) || b.sessions - a.sessions);
}

const isAsked = (cell: SourceCell): boolean => cell.isAsked;

/** A source without labels has only the project’s share, and ranks last. */
const rankOf = ({ labels: { fraud, complete }, fraudShare }: SourceReport): number =>
  fraud + complete === 0 ? -1 : (fraudShare?.low ?? 0);

function reportSource(
  sourceId: string | null,
  all: readonly SourceCell[],
  sessions: number,
  project: Estimate | null,
): SourceReport {
  const cells = all.filter(isAsked);
  const labels = countLabels(cells);
  return {
    sourceId,
    sessions,
    ...mixOf(cells),
    labels,
    fraudShare: project === null ? null : shareOf(labels, { share: project.value, sessions: sourcePrior }),
    drift: driftOf(all),
    independence: Math.round(sum(cells, ({ independence }) => independence) / sessions),
  };
}

function mixOf(cells: readonly SourceCell[]): Mix {
  const mix: Mix = { allow: 0, review: 0, block: 0, step_up: 0 };
  for (const { recommendation, count } of cells) mix[recommendation] += count;
  return mix;
}

function countLabels(cells: readonly SourceCell[]): SourceReport['labels'] {
  const of = (label: SourceCell['label']): number => sum(cells, (cell) => (cell.label === label ? cell.count : 0));
  return { fraud: of('fraud'), complete: of('complete') };
}

/** The mean and 95% of a beta posterior. null for a project without labels. */
function shareOf(
  { fraud, complete }: SourceReport['labels'],
  prior: { readonly share: number; readonly sessions: number },
): Estimate | null {
  if (fraud + complete === 0 && prior === projectPrior) return null;
  const a = fraud + prior.share * prior.sessions;
  const b = complete + (1 - prior.share) * prior.sessions;
  return { value: a / (a + b), low: betaQuantile(0.025, a, b), high: betaQuantile(0.975, a, b) };
}

/** Difference of two means, by Welch. */
function driftOf(cells: readonly SourceCell[]): Estimate | null {
  const [week, before] = (['week', 'before'] as const).map((age) =>
    momentsOf(cells.filter((cell) => cell.age === age)),
  );
  if (week === undefined || before === undefined) return null;
  if (week.count < driftSessionsMin || before.count < driftSessionsMin) return null;
  const value = week.mean - before.mean;
  const margin = normal95 * Math.sqrt(week.variance / week.count + before.variance / before.count);
  return { value, low: value - margin, high: value + margin };
}

function momentsOf(cells: readonly SourceCell[]): { count: number; mean: number; variance: number } {
  const count = sum(cells, (cell) => cell.count);
  const mean = sum(cells, (cell) => cell.count * evidenceScoreOf(cell.inputs)) / count;
  const squares = sum(cells, (cell) => cell.count * (evidenceScoreOf(cell.inputs) - mean) ** 2);
  return { count, mean, variance: squares / (count - 1) };
}

const bandWidth = 10;

/** Bands of ten points; the last also holds 100. */
export function reportCalibration(cells: readonly LabelledCell[]): Pick<CalibrationReply, 'bands' | 'ece' | 'labels'> {
  const fraudIn = (some: readonly LabelledCell[]): number => sum(some, ({ fraud, count }) => (fraud ? count : 0));
  const byBand = groupBy(cells, ({ inputs }) => Math.min(9, Math.floor(evidenceScoreOf(inputs) / bandWidth)));
  const bands = [...byBand]
    .sort(([a], [b]) => a - b)
    .map(([band, own]) => {
      const sessions = sum(own, ({ count }) => count);
      const fraud = fraudIn(own);
      const expected = sum(own, ({ inputs, count }) => count * expectedAt(evidenceScoreOf(inputs))) / sessions;
      const to = band === 9 ? 100 : band * bandWidth + bandWidth - 1;
      const { value: observed, low, high } = observe(fraud, sessions);
      return { from: band * bandWidth, to, sessions, expected, observed, low, high };
    });
  const total = sum(cells, ({ count }) => count);
  const fraud = fraudIn(cells);
  const distance = sum(bands, ({ sessions, expected, observed }) => sessions * Math.abs(expected - observed));
  return { bands, ece: total === 0 ? null : distance / total, labels: { fraud, honest: total - fraud } };
}

/** The observed share with the 95% interval of Jeffreys, which always holds it. */
export function observe(events: number, trials: number): Estimate {
  const low = events === 0 ? 0 : betaQuantile(0.025, events + 0.5, trials - events + 0.5);
  const high = events === trials ? 1 : betaQuantile(0.975, events + 0.5, trials - events + 0.5);
  return { value: events / trials, low, high };
}

export function groupBy<T, Key>(items: readonly T[], keyOf: (item: T) => Key): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

const sum = <T>(items: readonly T[], read: (item: T) => number): number =>
  items.reduce((total, item) => total + read(item), 0);

export const inOrder = (a: string, b: string): number => (a < b ? -1 : 1);
