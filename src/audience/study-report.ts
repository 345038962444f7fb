/** Reports the respondents of a study by supplier, by source, or by day of the entry. Reads counts, and of places only those of erased respondents. */
import {
  reportGroupsMax,
  ReportRow,
  ScreenOuts,
  type ClaimantKind,
  type ReportFigures,
  type ReportGrouping,
  type StudyReport,
} from '../contract/study-report.js';
import type { Queryable, Row } from '../stores/database/port.js';
import { csvLine } from './csv.js';
import { groupOf } from './export.js';
import { readRefusedLinks } from './refused-links.js';
import { medianOf } from './study-counts.js';
import type { Study } from './study-store.js';
import { showFunnel, showScreenOuts } from './study-view.js';
import { countNames, type PlaceCounts } from './transitions.js';

interface Tally extends PlaceCounts {
  readonly entered: number;
  readonly histograms: readonly Readonly<Record<string, number>>[];
}
type RowTally = Tally & Pick<ReportRow, 'supplierId' | 'sourceId' | 'name' | 'day'>;

const sums = ['entered', ...countNames].map((name) => `sum(t.${name})::int AS ${name}`).join(', ');
const histograms = `coalesce(jsonb_agg(t.seconds) FILTER (WHERE t.seconds <> '{}'), '[]') AS histograms`;

export async function reportStudy(tx: Queryable, study: Study, by: ReportGrouping): Promise<StudyReport> {
  const tallies = await (by === 'day' ? readDays(tx, study.studyId) : readSenders(tx, study.studyId, by));
  const unsent = await readUnsent(tx, study.studyId, by);
  return {
    ...{ studyId: study.studyId, by },
    rows: tallies.map((tally) => {
      const { supplierId, sourceId, name, day } = tally;
      return { supplierId, sourceId, name, day, ...figuresOf(tally, unsent.get(day ?? supplierId ?? '') ?? 0) };
    }),
    totals: figuresOf(
      { ...study, histograms: tallies.flatMap((tally) => tally.histograms) },
      [...unsent.values()].reduce((sum, count) => sum + count, 0),
    ),
    groups: await readGroups(tx, study.studyId),
    refusedLinks: await readRefusedLinks(tx, study.studyId),
  };
}

function figuresOf(tally: Tally, unsent: number): ReportFigures {
  const { in_survey: inSurvey, too_fast: tooFast, ...ends } = showFunnel(tally);
  return {
    entries: tally.entered,
    screenedOut: showScreenOuts(tally),
    ...{ ...ends, inSurvey, tooFast, medianSeconds: medianOf(tally.histograms) },
    unsent,
    ...{ sameDevice: tally.same_device, sameAddress: tally.same_address, sameNetwork: tally.same_network },
  };
}

const readSenders = (tx: Queryable, studyId: string, by: 'supplier' | 'source'): Promise<readonly RowTally[]> =>
  tx.query<RowTally & Row>(
    `SELECT nullif(t.supplier_id, '') AS "supplierId", coalesce(s.source_id, t.source) AS "sourceId", s.name, NULL AS day, ${sums}, ${histograms}
       FROM (SELECT *, CASE WHEN $2 = 'source' THEN nullif(source_id, '') END AS source FROM study_tallies WHERE study_id = $1) AS t
       LEFT JOIN suppliers s ON s.supplier_id = t.supplier_id
      GROUP BY t.supplier_id, t.source, s.source_id, s.name HAVING sum(t.entered) > 0 ORDER BY sum(t.entered) DESC, t.supplier_id, t.source`,
    [studyId, by],
  );

const readDays = (tx: Queryable, studyId: string): Promise<readonly RowTally[]> =>
  tx.query<RowTally & Row>(
    `SELECT NULL AS "supplierId", NULL AS "sourceId", NULL AS name, to_char(t.day, 'YYYY-MM-DD') AS day, ${sums}, ${histograms}
       FROM study_tallies t WHERE t.study_id = $1 GROUP BY t.day ORDER BY t.day`,
    [studyId],
  );

/** Counts places of erased respondents by the key of their row; an index holds these alone. */
async function readUnsent(tx: Queryable, studyId: string, by: ReportGrouping): Promise<ReadonlyMap<string, number>> {
  const key = by === 'day' ? "to_char(entered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')" : 'supplier_id';
  const rows = await tx.query<{ key: string; places: number }>(
    `SELECT ${key} AS key, count(*)::int AS places FROM study_places WHERE study_id = $1 AND unsent GROUP BY 1`,
    [studyId],
  );
  return new Map(rows.map(({ key, places }) => [key, places]));
}

async function readGroups(tx: Queryable, studyId: string): Promise<StudyReport['groups']> {
  const rows = await tx.query<{ kind: ClaimantKind; ref: string; places: number; completed: number }>(
    `SELECT kind, ref, places, completed FROM study_claimants WHERE study_id = $1 AND places > 1
      ORDER BY places DESC, kind, ref LIMIT ${reportGroupsMax}`,
    [studyId],
  );
  return rows.map(({ ref, ...group }) => ({ ...group, group: groupOf(ref) ?? '' }));
}

const reasons = Object.keys(ScreenOuts.properties) as (keyof ScreenOuts)[];
const columns = Object.keys(ReportRow.properties) as (keyof ReportRow)[];

/** The rows as CSV, without the totals, which a spreadsheet makes itself. */
export const reportAsCsv = ({ rows }: Pick<StudyReport, 'rows'>): string =>
  [
    csvLine(columns.flatMap((name) => (name === 'screenedOut' ? reasons.map((reason) => `${name}.${reason}`) : name))),
    ...rows.map((row) =>
      csvLine(
        columns.flatMap((name) =>
          name === 'screenedOut' ? reasons.map((reason) => row.screenedOut[reason]) : row[name],
        ),
      ),
    ),
  ].join('');
