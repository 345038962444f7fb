/** The report of a study counted again from its places, in SQL that knows nothing of how the service counts. */
import type { Test } from 'tap';
import { reportStudy } from '../../src/audience/study-report.js';
import type { Study } from '../../src/audience/study-store.js';
import type { Database, Queryable } from '../../src/stores/database/port.js';

/** By supplier, source and day, or of the whole where both are null; names are those of the report. */
export type Recount = Readonly<Record<string, string | number | null>>;

const count = (name: string, condition: string): string => `count(*) FILTER (WHERE ${condition})::int AS "${name}"`;
const screened = (reason: string, ...causes: string[]): string =>
  count(
    `screenedOut.${reason}`,
    `state = 'screened' AND screened_for IN (${causes.map((cause) => `'${cause}'`).join()})`,
  );

const keys = {
  supplier: 'supplier_id',
  source: 'coalesce(supplier_id, source_id)',
  day: "to_char(entered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
};

export const recountStudy = (
  tx: Queryable,
  studyId: string,
  by: keyof typeof keys | null,
): Promise<readonly Recount[]> => {
  return tx.query<Recount & Record<string, unknown>>(
    `SELECT ${by === null ? 'NULL' : keys[by]} AS key, count(*)::int AS entries,
            ${screened('full', 'full')}, ${screened('duplicate', 'duplicate')}, ${screened('quality', 'gate', 'verification')},
            ${screened('targeting', 'country')}, ${screened('limit', 'limit')}, ${screened('gate', 'gate')}, ${screened('verification', 'verification')},
            ${count('verified', "verified AND state IN ('verifying', 'surveying', 'completed')")}, ${count('completed', "state = 'completed' AND counted")},
            ${count('unconfirmed', "state = 'completed' AND NOT counted AND completion = 'unconfirmed'")},
            ${count('tooFast', "state = 'completed' AND NOT counted AND completion = 'too_fast'")}, ${count('reversed', "completion = 'reversed'")},
            ${count('undecided', "state = 'entering'")}, ${count('verifying', "state = 'verifying'")}, ${count('inSurvey', "state = 'surveying'")},
            ${count('unsent', 'unsent')}, ${count('released', "state = 'released'")}, ${count('terminated', "state = 'terminated' AND completion IS NULL")},
            (percentile_disc(0.5) WITHIN GROUP (ORDER BY floor(extract(epoch FROM returned_at - surveyed_at)))
               FILTER (WHERE state = 'completed' AND counted))::int AS "medianSeconds"
       FROM study_places WHERE study_id = $1 ${by === null ? '' : `GROUP BY ${keys[by]}`} ORDER BY 1 NULLS FIRST`,
    [studyId],
  );
};

/** The same names of a report, without the median, which the report knows within a few percent. */
export function flattenFigures(figures: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { screenedOut, ...rest } = figures as { readonly screenedOut: Readonly<Record<string, number>> };
  const flat = Object.fromEntries(Object.entries(screenedOut).map(([name, value]) => [`screenedOut.${name}`, value]));
  return { ...rest, ...flat };
}

/** Compares every row and the totals of the study’s report, by each grouping, with what its places come to. */
export async function compareReport(t: Test, database: Database, study: Study): Promise<void> {
  for (const by of ['supplier', 'source', 'day'] as const) {
    const report = await reportStudy(database, study, by);
    const keyOf = ({ supplierId, sourceId, day }: Readonly<Record<'supplierId' | 'sourceId' | 'day', string | null>>) =>
      supplierId ?? sourceId ?? day ?? '';
    const rows = report.rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const counted = await recountStudy(database, study.studyId, by);
    t.equal(rows.length, counted.length);
    const pairs = [
      ...rows.map((row, n) => [row, counted[n]] as const),
      [report.totals, (await recountStudy(database, study.studyId, null))[0]] as const,
    ];
    for (const [figures, recount] of pairs) equal(t, flattenFigures(figures), recount ?? {});
  }
}

function equal(t: Test, figures: Readonly<Record<string, unknown>>, { key, medianSeconds, ...counted }: Recount): void {
  t.match(figures, counted, `${key ?? 'in all'}`);
  const median = Number(figures['medianSeconds']);
  t.ok(Math.abs(median - Number(medianSeconds)) <= 1 + Number(medianSeconds) * 0.026, `${median} of ${medianSeconds}`);
}
