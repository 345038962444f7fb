/**
 * Simulates other thresholds on recorded sessions: counts from the score distribution, decisions by the pure core. Nothing is
 * scored again; the same question gets the same answer until new scores come.
 */
import { ceilingOf } from '../../contract/calibration.js';
import { invalid } from '../../kernel/faults.js';
import type {
  HypotheticalDecision,
  HypotheticalThresholds,
  Mix,
  SimulationReply,
  SimulationRequest,
} from '../../contract/thresholds.js';
import { flipsDefault, scoreBands, sourcesMax } from '../../contract/thresholds.js';
import type { Issue } from '../../errors.js';
import { findUnstorable } from '../../kernel/body.js';
import { dateOf } from '../../kernel/calendar-day.js';
import type { Pool } from '../../pool/pool.js';
import type { Database } from '../../stores/database/port.js';
import type { ProjectScope } from '../project-scope.js';
import {
  knowsSource,
  listSessions,
  readDistribution,
  type CountedCell,
  type DistributionFilter,
  type DistributionReading,
} from './distribution-reader.js';

export interface SimulationDeps {
  readonly database: Database;
  readonly pool: Pool;
  readonly now: () => number;
}

type Question = Omit<SimulationRequest, 'projectId'>;
type Judged = CountedCell & { readonly hypothetical: HypotheticalDecision };

/** Few enough decisions that a score waits for them no longer than for another score. */
const decisionsPerTask = 1_000;

export function createSimulationService(deps: SimulationDeps) {
  return {
    async simulate(scope: ProjectScope, question: Question): Promise<SimulationReply> {
      const filter = readFilter(scope, question);
      await requireSource(deps.database, filter);
      const thresholds = {
        reviewLow: question.reviewLow,
        blockThreshold: question.blockThreshold,
        stepUpThreshold: question.stepUpThreshold ?? null,
      };
      const reading = await readDistribution(deps.database, filter, deps.now(), true);
      const judged = await judge(deps.pool, reading.cells, thresholds);
      const flipped = judged.filter((cell) => cell.hypothetical.recommendation !== cell.recommendation);
      return {
        sessions: count(judged),
        current: mixOf(judged, ({ recommendation }) => recommendation),
        hypothetical: mixOf(judged, ({ hypothetical }) => hypothetical.recommendation),
        flips: await listFlips(deps.database, filter, flipped, question.flips ?? flipsDefault),
        flipped: count(flipped),
        flippedBySource: bySource(flipped),
        heldBelowBlock: count(judged.filter(({ hypothetical }) => hypothetical.isHeld)),
        ceiling: ceilingOf(question.blockThreshold),
        scores: scoresOf(judged),
        labelled: labelledOf(judged),
        period: periodOf(reading),
        note: noteOf(reading, filter),
      };
    },
  };
}

function readFilter(
  { organizationId, namespace }: ProjectScope,
  { reviewLow, blockThreshold, sourceId, from, to }: Question,
): DistributionFilter {
  const issues: Issue[] =
    reviewLow > blockThreshold ? [{ path: '/reviewLow', message: 'must be at most blockThreshold.' }] : [];
  return { organizationId, namespace, sourceId: sourceId ?? null, ...readPeriod({ from, to }, issues) };
}

/** Whole UTC days. Throws the issues that it finds, with those given. */
export function readPeriod(
  { from, to }: { readonly from: string | null | undefined; readonly to: string | null | undefined },
  issues: Issue[] = [],
): Pick<DistributionFilter, 'fromDay' | 'toDay'> {
  const days = { fromDay: dayOf(from), toDay: dayOf(to) };
  if (days.fromDay !== null && days.toDay !== null && days.fromDay > days.toDay)
    issues.push({ path: '/from', message: 'must not be after `to`.' });
  if (issues.length > 0) throw invalid(issues);
  return days;
}

/** The last moment whose year has four digits. Before 1970 and after it nothing was scored, so that a period may as well end there. */
const lastMs = Date.UTC(9999, 11, 31);

const dayOf = (time: string | null | undefined): string | null =>
  time == null ? null : dateOf(Math.min(Math.max(Date.parse(time), 0), lastMs));

/** An unknown source is a slip of the pen rather than an empty mix. */
export async function requireSource(database: Database, { namespace, sourceId }: DistributionFilter): Promise<void> {
  if (sourceId === null) return;
  if (findUnstorable(sourceId, '/sourceId') === null && (await knowsSource(database, namespace, sourceId))) return;
  throw invalid([
    { path: '/sourceId', message: 'has no scored sessions in this project. Check the `sourceId` of your scores.' },
  ]);
}

async function judge(
  pool: Pool,
  cells: readonly CountedCell[],
  thresholds: HypotheticalThresholds,
): Promise<readonly Judged[]> {
  const distinct = [...new Map(cells.map(({ cell, inputs }) => [cell, inputs]))];
  const decisions = new Map<string, HypotheticalDecision>();
  for (let start = 0; start < distinct.length; start += decisionsPerTask) {
    const part = distinct.slice(start, start + decisionsPerTask);
    const decided = await pool.run({ kind: 'decide', inputs: part.map(([, inputs]) => inputs), thresholds });
    part.forEach(([cell], index) => decisions.set(cell, decided[index] as HypotheticalDecision));
  }
  return cells.map((cell) => ({ ...cell, hypothetical: decisions.get(cell.cell) as HypotheticalDecision }));
}

async function listFlips(
  database: Database,
  filter: DistributionFilter,
  flipped: readonly Judged[],
  limit: number,
): Promise<SimulationReply['flips']> {
  const keyOf = ({ cell, recommendation }: { readonly cell: string; readonly recommendation: string }): string =>
    `${cell}\n${recommendation}`;
  const byKey = new Map(flipped.map((cell) => [keyOf(cell), cell]));
  const sessions = await listSessions(database, filter, [...byKey.values()], limit);
  return sessions.flatMap((session) => {
    const cell = byKey.get(keyOf(session));
    if (cell === undefined) return [];
    const { receiptId, sessionId, sourceId, score: givenScore } = session;
    const { score, recommendation: to } = cell.hypothetical;
    return [{ receiptId, sessionId, sourceId, score, givenScore, from: cell.recommendation, to }];
  });
}

const count = (cells: readonly CountedCell[]): number => cells.reduce((total, cell) => total + cell.count, 0);

function bySource(cells: readonly CountedCell[]): SimulationReply['flippedBySource'] {
  const counts = new Map<string, number>();
  for (const { sourceId, count: sessions } of cells) counts.set(sourceId, (counts.get(sourceId) ?? 0) + sessions);
  return [...counts]
    .sort(([a, most], [b, other]) => other - most || (a < b ? -1 : 1))
    .slice(0, sourcesMax)
    .map(([sourceId, sessions]) => ({ sourceId: sourceId === '' ? null : sourceId, sessions }));
}

function mixOf(cells: readonly Judged[], read: (cell: Judged) => keyof Mix): Mix {
  const mix: Mix = { allow: 0, review: 0, block: 0, step_up: 0 };
  for (const cell of cells) mix[read(cell)] += cell.count;
  return mix;
}

function scoresOf(cells: readonly Judged[]): number[] {
  const scores = new Array<number>(scoreBands).fill(0);
  for (const cell of cells) {
    const band = Math.min(scoreBands - 1, Math.floor((cell.hypothetical.score * scoreBands) / 100));
    scores[band] = (scores[band] ?? 0) + cell.count;
  }
  return scores;
}

function labelledOf(cells: readonly Judged[]): SimulationReply['labelled'] {
  const honest = cells.filter(({ label }) => label === 'honest');
  const fraud = cells.filter(({ label }) => label === 'fraud');
  const blocked = ({ hypothetical }: Judged): boolean => hypothetical.recommendation === 'block';
  return {
    honestBlocked: count(honest.filter(blocked)),
    fraudCaught: count(fraud.filter(blocked)),
    honest: count(honest),
    fraud: count(fraud),
  };
}

function periodOf({ firstDay, lastDay }: DistributionReading): SimulationReply['period'] {
  const at = (day: string | null): string | null => (day === null ? null : `${day}T00:00:00.000Z`);
  return { from: at(firstDay), to: at(lastDay) };
}

function noteOf({ cells }: DistributionReading, { fromDay, toDay, sourceId }: DistributionFilter): string | null {
  if (cells.length > 0) return null;
  if (fromDay !== null || toDay !== null)
    return 'No session was scored in this period, or its sessions are no longer kept.';
  return sourceId === null ? 'No session of this project was scored with its key yet.' : 'No session of this source.';
}
