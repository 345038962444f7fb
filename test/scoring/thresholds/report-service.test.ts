import t from 'tap';
import { compareFigures } from '../../../bench/figures.js';
import { latelyDays, mixDays, recountedStudy, recountReports } from '../../../bench/report-recount.js';
import { recordReported } from '../../../bench/reported-sessions.js';
import { fairnessSessionsMax } from '../../../src/contract/reports.js';
import type { PoolTask } from '../../../src/contract/pool.js';
import type { Pool } from '../../../src/pool/pool.js';
import { createLabelWork } from '../../../src/scoring/thresholds/distribution-round.js';
import { createReportService } from '../../../src/scoring/thresholds/report-service.js';
import type { Namespace } from '../../../src/stores/counters/namespace.js';
import { run } from '../../../workers/main.js';
import { onBothStores } from '../../helpers/both-stores.js';
import { workOff } from '../../helpers/outcome-work.js';

t.setTimeout(180_000);
const dayMs = 86_400_000;
const sessions = 2_000;
const scope = { organizationId: 'org_1', projectId: 'proj_1', namespace: 'proj_1' as Namespace };
const logger = { warn: (...said: readonly unknown[]) => t.fail('a receipt was skipped', { said }) };

const pool = { run: (task: PoolTask) => Promise.resolve(run(task)) } as unknown as Pool;

onBothStores(t, 'reports', (t, open) => {
  t.test(`every figure of the reports agrees with a recount of ${sessions} sessions and their outcomes`, async (t) => {
    const { database } = await open(t);
    const nowMs = Date.now();
    const reports = createReportService({ database, pool, now: () => nowMs });
    t.match(await reports.fairness(scope, {}), { all: { sessions: 0 }, complete: true, groups: [] });

    await recordReported(database, scope, sessions, nowMs);
    await workOff(database);
    const labels = createLabelWork({ database, logger });
    while ((await labels.next()) > 0);

    const recounted = await recountReports(database, scope.namespace, nowMs);
    t.ok(
      recounted.fairness.groups.some(({ value }) => value === 'other'),
      'small groups are folded',
    );
    const given = {
      mix: await reports.mix(scope, { from: new Date(nowMs - mixDays * dayMs).toISOString() }),
      sources: await reports.sources(scope, {}),
      latelySources: await reports.sources(scope, { from: new Date(nowMs - latelyDays * dayMs).toISOString() }),
      calibration: await reports.calibration(scope, {}),
      fairness: await reports.fairness(scope, {}),
      studyFairness: await reports.fairness(scope, { studyId: recountedStudy }),
    };
    const { figures, differences } = compareFigures(given, recounted);
    t.same(differences, []);
    t.ok(figures > sessions, `${figures} figures`);
    t.not(compareFigures({ ...given, mix: { days: given.mix.days.slice(1) } }, recounted).differences.length, 0);

    const inOneSource = await reports.calibration(scope, { sourceId: 'supplier-0' });
    t.ok(inOneSource.labels.honest < given.calibration.labels.honest);
    t.match(await reports.fairness(scope, { to: new Date(nowMs - 100 * dayMs).toISOString() }), {
      all: { sessions: 0 },
    });
    t.same(await reports.sources(scope, { to: new Date(nowMs - 100 * dayMs).toISOString() }), { sources: [] });
    await t.rejects(reports.fairness(scope, { sourceId: 'nobody' }), { code: 'VALIDATION_FAILED' });
    t.ok(given.fairness.all.sessions <= fairnessSessionsMax);
  });
  t.end();
});
