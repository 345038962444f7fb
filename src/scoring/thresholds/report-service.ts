/** The reports of a project: figures by the pure core, from counts of the database. They change nothing. */
import { findUnstorable } from '../../kernel/body.js';
import { invalid } from '../../kernel/faults.js';
import {
  fairGroupMin,
  fairnessSessionsMax,
  mixDaysDefault,
  mixRowsMax,
  type CalibrationQuery,
  type CalibrationReply,
  type FairnessQuery,
  type FairnessReply,
  type MixQuery,
  type MixReply,
  type SourcesQuery,
  type SourcesReply,
} from '../../contract/reports.js';
import type { Pool } from '../../pool/pool.js';
import type { Database } from '../../stores/database/port.js';
import type { ProjectScope } from '../project-scope.js';
import { readHonest, readMatured, readMix, readSources } from './report-reader.js';
import type { SessionsFilter } from './newest-sessions.js';
import { readPeriod, requireSource } from './simulation-service.js';

export interface ReportDeps {
  readonly database: Database;
  readonly pool: Pool;
  readonly now: () => number;
}

export type ReportService = ReturnType<typeof createReportService>;

export function createReportService({ database, pool, now }: ReportDeps) {
  const filterOf = (scope: ProjectScope, sourceId: string | undefined) =>
    readSessionsFilter(database, scope, { sourceId });
  return {
    async mix(scope: ProjectScope, { sourceId, from, to }: Omit<MixQuery, 'projectId'>): Promise<MixReply> {
      const ago = new Date(now() - mixDaysDefault * 86_400_000).toISOString();
      const period = readPeriod({ from: from ?? (to === undefined ? ago : undefined), to });
      const rows = await readMix(database, { ...(await filterOf(scope, sourceId)), ...period });
      if (rows.length > mixRowsMax)
        throw invalid([
          { path: '/from', message: `returns more than ${mixRowsMax} rows. Shorten the period or name a source.` },
        ]);
      return { days: rows.map(({ source_id, ...row }) => ({ ...row, sourceId: source_id === '' ? null : source_id })) };
    },
    async sources(scope: ProjectScope, period: Omit<SourcesQuery, 'projectId'>): Promise<SourcesReply> {
      const cells = await readSources(database, await readSessionsFilter(database, scope, period), now());
      return { sources: [...(await pool.run({ kind: 'sources', cells }))] };
    },
    async calibration(
      scope: ProjectScope,
      { sourceId }: Omit<CalibrationQuery, 'projectId'>,
    ): Promise<CalibrationReply> {
      const filter = await filterOf(scope, sourceId);
      return pool.run({ kind: 'calibration', cells: await readMatured(database, filter, now()) });
    },
    async fairness(
      scope: ProjectScope,
      { sourceId, studyId, from, to }: Omit<FairnessQuery, 'projectId'>,
    ): Promise<FairnessReply> {
      const filter = await readSessionsFilter(database, scope, { sourceId, studyId, from, to });
      const honest = await readHonest(database, filter, now());
      const judged = honest.slice(0, fairnessSessionsMax);
      const figures = await pool.run({ kind: 'fairness', honest: judged });
      return { ...figures, complete: honest.length === judged.length, smallestGroup: fairGroupMin };
    },
  };
}

type Asked = Omit<FairnessQuery, 'projectId'>;

/** Throws for a source without sessions, a study that cannot be, or a period that ends before it begins. */
export async function readSessionsFilter(
  database: Database,
  { organizationId, namespace }: ProjectScope,
  { sourceId, studyId, from, to }: { readonly [Name in keyof Asked]: Asked[Name] | undefined },
): Promise<SessionsFilter> {
  const period = readPeriod({ from, to });
  const filter = { organizationId, namespace, sourceId: sourceId ?? null, studyId: studyId ?? null, ...period };
  await requireSource(database, filter);
  if (studyId !== undefined && findUnstorable(studyId, '/studyId') !== null)
    throw invalid([{ path: '/studyId', message: 'has characters that no study can have.' }]);
  return filter;
}
