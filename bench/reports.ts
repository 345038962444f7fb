/**
 * Bench of the reports, on the running stack: every figure against a recount in SQL over all sessions and outcomes, and the time that the
 * service takes to answer. Beyond `recordedMax` sessions, the recorded ones are copied in the database. Uses a database of its own.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import type { ProjectScope } from '../src/scoring/project-scope.js';
import type { Database } from '../src/stores/database/port.js';
import { openPostgres } from '../src/stores/database/postgres/open.js';
import type { BenchResult } from './bench-result.js';
import { compareFigures } from './figures.js';
import { median } from './load.js';
import { serve } from './process.js';
import { latelyDays, mixDays, recountedStudy, recountReports } from './report-recount.js';
import { copyReported, recordReported } from './reported-sessions.js';
import { withStack } from './stack.js';

export interface ReportsBenchOptions {
  /** Answers of each report that are timed. */
  readonly rounds: number;
  readonly sessions?: number;
  /** Sessions that the recorder writes. */
  readonly recordedMax?: number;
}

const serviceServer = new URL('./service-server.js', import.meta.url);
const patienceMs = 600_000;

export async function benchReports({
  rounds,
  sessions = 100_000,
  recordedMax = 100_000,
}: ReportsBenchOptions): Promise<BenchResult> {
  return withStack(async (environment) => {
    const service = await serve<Bootstrap>(serviceServer, environment);
    const database = await openPostgres({ url: environment.DATABASE_URL, poolMax: 4, deadlineMs: 120_000 });
    try {
      const { projectId, projectKey, baseUrl } = service.info;
      const scope = await findScope(database, projectId);
      const times = Math.ceil(sessions / recordedMax);
      await recordReported(database, scope, Math.ceil(sessions / times), Date.now());
      await waitForLabels(database);
      if (times > 1) await copyReported(database, times);
      else await database.query('ANALYZE', [], { deadlineMs: patienceMs });
      const ask = async (path: string): Promise<unknown> => {
        const answer = await fetch(`${baseUrl}/lite/${path}`, { headers: { 'x-api-key': projectKey } });
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
        return answer.json();
      };
      return await measure(ask, await recountReports(database, scope.namespace, Date.now()), rounds, sessions);
    } finally {
      await database.close();
      await service.stop();
    }
  });
}

async function findScope(database: Database, projectId: string): Promise<ProjectScope> {
  const [row] = await database.query<{ id: string }>(
    'SELECT organization_id AS id FROM projects WHERE project_id = $1',
    [projectId],
  );
  if (row === undefined) throw new Error('the service made no project');
  return { organizationId: row.id, projectId, namespace: projectId };
}

/** Until the consumers of the service have adjudicated and labelled every session. */
async function waitForLabels(database: Database): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    const [row] = await database.query<{ done: boolean }>(
      'SELECT NOT EXISTS (SELECT 1 FROM adjudication_work) AND NOT EXISTS (SELECT 1 FROM label_work) AS done',
    );
    if (row?.done === true) return;
    if (performance.now() > deadlineMs) throw new Error('outcomes were not worked off');
    await pause(250);
  }
}

async function measure(
  ask: (path: string) => Promise<unknown>,
  recounted: Awaited<ReturnType<typeof recountReports>>,
  rounds: number,
  sessions: number,
): Promise<BenchResult> {
  const since = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  const reports = {
    mix: `mix?from=${since(mixDays)}`,
    sources: 'sources',
    latelySources: `sources?from=${since(latelyDays)}`,
    calibration: 'calibration',
    fairness: 'fairness',
    studyFairness: `fairness?studyId=${recountedStudy}`,
  } as const;
  const lines: string[] = [];
  const ratios: Record<string, number> = { sessions, differences: 0 };
  for (const [name, path] of Object.entries(reports)) {
    const startedMs = performance.now();
    const { figures, differences } = compareFigures(await ask(path), recounted[name as keyof typeof reports]);
    const timesMs = [performance.now() - startedMs];
    for (let n = 0; n < rounds; n += 1) {
      const sinceMs = performance.now();
      await ask(path);
      timesMs.push(performance.now() - sinceMs);
    }
    const [first = 0, ...later] = timesMs.map(Math.round);
    ratios['differences'] = (ratios['differences'] ?? 0) + differences.length;
    ratios[`${name}Ms`] = median(later);
    const verdict = differences.length === 0 ? 'equal' : `${differences.length} unequal`;
    lines.push(
      `${name.padEnd(15)}${String(figures).padStart(7)}  ${verdict.padEnd(13)}${String(first).padStart(8)}${String(median(later)).padStart(11)}`,
      ...differences.slice(0, 5).map((difference) => `  ${difference}`),
    );
  }
  const head = `${sessions} sessions\nreport         figures  recount       first ms  median ms`;
  return { table: [head, ...lines].join('\n'), ratios };
}
