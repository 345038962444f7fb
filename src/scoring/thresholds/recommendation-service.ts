/**
 * Thresholds that a project’s own labels allow, for the project and for each of its sources. A suggestion only: nothing is ever applied.
 */
import { createHash } from 'node:crypto';
import { resolveCalibration, type LiteConfig } from '../../contract/calibration.js';
import {
  falseBlockTargetDefault,
  reviewBudgetDefault,
  sourcesMax,
  type DistributionCell,
  type RecommendationsQuery,
  type RecommendationsReply,
  type SourceRecommendation,
} from '../../contract/thresholds.js';
import { rest } from '../../fair-limiter.js';
import type { Pool } from '../../pool/pool.js';
import type { Database } from '../../stores/database/port.js';
import { readDistribution, type CountedCell } from './distribution-reader.js';
import type { ProjectScope } from '../project-scope.js';
import { requireSource } from './simulation-service.js';

export interface RecommendationDeps {
  readonly database: Database;
  readonly pool: Pool;
  readonly now: () => number;
  readonly findLiteConfig: (projectId: string) => Promise<LiteConfig | undefined>;
}

type Question = Omit<RecommendationsQuery, 'projectId'>;

export function createRecommendationService(deps: RecommendationDeps) {
  return {
    async recommend(
      { organizationId, projectId, namespace }: ProjectScope,
      question: Question,
    ): Promise<RecommendationsReply> {
      const { targetFalseBlockRate = falseBlockTargetDefault, reviewBudget = reviewBudgetDefault } = question;
      const sourceId = question.sourceId ?? null;
      const everything = { organizationId, namespace, sourceId: null, fromDay: null, toDay: null };
      await requireSource(deps.database, { ...everything, sourceId });
      const nowMs = deps.now();
      const { cells } = await readDistribution(deps.database, everything, nowMs, true);
      const liteConfig = await deps.findLiteConfig(projectId);
      const bySource = groupBySource(cells);
      const whole = withoutNames(cells);
      const project = await deps.pool.run({ kind: 'levels', cells: whole });
      const sources: SourceRecommendation[] = [];
      for (const name of sourceId === null ? [null, ...largestOf(bySource)] : [sourceId]) {
        const startedMs = performance.now();
        const { reviewLow, blockThreshold } = resolveCalibration(liteConfig, name ?? undefined);
        // One after the other with rests, so that scores never wait behind more than one.
        const fit = await deps.pool.run({
          kind: 'fit',
          subject: {
            cells: name === null ? whole : (bySource.get(name) ?? []),
            current: { reviewLow, blockThreshold },
            project: name === null ? null : project,
            targetFalseBlockRate,
            reviewBudget,
            seed: seedOf(namespace, name),
          },
        });
        sources.push({ sourceId: name, ...fit });
        await rest(startedMs);
      }
      return { generatedAt: new Date(nowMs).toISOString(), targetFalseBlockRate, reviewBudget, sources };
    },
  };
}

/** Sessions without a source belong to the project only. */
function groupBySource(cells: readonly CountedCell[]): ReadonlyMap<string, readonly CountedCell[]> {
  const sources = new Map<string, CountedCell[]>();
  for (const cell of cells) {
    if (cell.sourceId === '') continue;
    const list = sources.get(cell.sourceId) ?? [];
    list.push(cell);
    sources.set(cell.sourceId, list);
  }
  return sources;
}

function largestOf(bySource: ReadonlyMap<string, readonly CountedCell[]>): readonly string[] {
  const sizeOf = (cells: readonly CountedCell[]): number => cells.reduce((total, { count }) => total + count, 0);
  return [...bySource]
    .map(([name, cells]) => ({ name, size: sizeOf(cells) }))
    .sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1))
    .slice(0, sourcesMax)
    .map(({ name }) => name);
}

/** The same cell of several sources is one cell here. */
function withoutNames(cells: readonly CountedCell[]): readonly DistributionCell[] {
  const merged = new Map<string, DistributionCell>();
  for (const { cell, inputs, recommendation, label, count } of cells) {
    const key = `${cell}\n${recommendation}\n${label}`;
    merged.set(key, { inputs, recommendation, label, count: count + (merged.get(key)?.count ?? 0) });
  }
  return [...merged.values()];
}

/** The same project and source draw the same numbers. */
const seedOf = (namespace: string, name: string | null): number =>
  createHash('sha256')
    .update(`${namespace}\n${name ?? ''}`)
    .digest()
    .readUInt32BE(0);
