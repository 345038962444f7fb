/** What became of the respondents of a study, by supplier or by day of the entry. Reads counts, and no places. */
import { reportGroupsMax, type ClaimantKind, type ReportGrouping, type StudyReport } from '../contract/study-report.js';
import type { Queryable, Row } from '../stores/database/port.js';
import { groupOf } from './export.js';
import { medianOf } from './study-counts.js';
import type { Study } from './study-store.js';
import { showFunnel } from './study-view.js';
import { countNames, type PlaceCounts } from './transitions.js';

interface Tally extends PlaceCounts {
  readonly entered: number;
  readonly histograms: readonly Readonly<Record<string, number>>[];
}
type SupplierTally = Tally & Readonly<Record<'supplierId' | 'sourceId' | 'name', string | null>>;
type DayTally = Tally & { readonly day: string };

const sums = ['entered', ...countNames].map((name) => `sum(t.${name})::int AS ${name}`).join(', ');
const histograms = `coalesce(jsonb_agg(t.seconds) FILTER (WHERE t.seconds <> '{}'), '[]') AS histograms`;

export async function reportStudy(tx: Queryable, study: Study, by: ReportGrouping): Promise<StudyReport> {
  const groups = await readGroups(tx, study.studyId);
  const common = (tallies: readonly Tally[]) => ({
    ...{ studyId: study.studyId, by, groups },
    total: figuresOf({ ...study, histograms: tallies.flatMap((tally) => tally.histograms) }),
  });
  if (by === 'day') {
    const tallies = await readDays(tx, study.studyId);
    return { ...common(tallies), days: tallies.map((tally) => ({ day: tally.day, ...figuresOf(tally) })) };
  }
  const tallies = await readSuppliers(tx, study.studyId);
  const suppliers = tallies.map((tally) => {
    const { supplierId, sourceId, name } = tally;
    return { supplierId, sourceId, name, ...figuresOf(tally) };
  });
  return { ...common(tallies), suppliers };
}

const figuresOf = (tally: Tally) => ({
  ...showFunnel(tally),
  median_seconds: medianOf(tally.histograms),
  ...{ same_device: tally.same_device, same_address: tally.same_address, same_network: tally.same_network },
});

const readSuppliers = (tx: Queryable, studyId: string): Promise<readonly SupplierTally[]> =>
  tx.query<SupplierTally & Row>(
    `SELECT nullif(t.supplier_id, '') AS "supplierId", s.source_id AS "sourceId", s.name, ${sums}, ${histograms}
       FROM study_tallies t LEFT JOIN suppliers s ON s.supplier_id = t.supplier_id
      WHERE t.study_id = $1 GROUP BY t.supplier_id, s.source_id, s.name ORDER BY sum(t.entered) DESC, t.supplier_id`,
    [studyId],
  );

const readDays = (tx: Queryable, studyId: string): Promise<readonly DayTally[]> =>
  tx.query<DayTally & Row>(
    `SELECT to_char(t.day, 'YYYY-MM-DD') AS day, ${sums}, ${histograms}
       FROM study_tallies t WHERE t.study_id = $1 GROUP BY t.day ORDER BY t.day`,
    [studyId],
  );

async function readGroups(tx: Queryable, studyId: string): Promise<StudyReport['groups']> {
  const rows = await tx.query<{ kind: ClaimantKind; ref: string; places: number; completed: number }>(
    `SELECT kind, ref, places, completed FROM study_claimants WHERE study_id = $1 AND places > 1
      ORDER BY places DESC, kind, ref LIMIT ${reportGroupsMax}`,
    [studyId],
  );
  return rows.map(({ ref, ...group }) => ({ ...group, group: groupOf(ref) ?? '' }));
}
