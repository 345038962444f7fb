import t from 'tap';
import { recountReports } from '../../../bench/report-recount.js';
import { recordReported } from '../../../bench/reported-sessions.js';
import type { LiteConfig } from '../../../src/contract/calibration.js';
import type { PoolTask } from '../../../src/contract/pool.js';
import { shadowSessionsMax } from '../../../src/contract/shadow.js';
import type { Pool } from '../../../src/pool/pool.js';
import { openFacts } from '../../../src/record/record.js';
import { createLabelWork } from '../../../src/scoring/thresholds/distribution-round.js';
import { createShadowService } from '../../../src/scoring/thresholds/shadow-service.js';
import type { Namespace } from '../../../src/stores/counters/namespace.js';
import { compareShadow, judgeShadow } from '../../../workers/thresholds/shadow.js';
import { onBothStores } from '../../helpers/both-stores.js';
import { workOff } from '../../helpers/outcome-work.js';

t.setTimeout(180_000);
const sessions = shadowSessionsMax + 100;
const scope = { organizationId: 'org_1', projectId: 'proj_1', namespace: 'proj_1' as Namespace };
const logger = { warn: () => t.fail('a receipt was skipped') };
const pool = {
  run: (task: PoolTask) => {
    if (task.kind === 'compare') return Promise.resolve(compareShadow(task.sessions));
    if (task.kind !== 'shadow') throw new Error(task.kind);
    return Promise.resolve(task.sessions.map(({ facts, calibration }) => judgeShadow(openFacts(facts), calibration)));
  },
} as unknown as Pool;

onBothStores(t, 'the shadow', (t, open) => {
  t.test('the comparison agrees with a recount of the newest sessions, and of each label', async (t) => {
    const { database } = await open(t);
    const nowMs = Date.now();
    let liteConfig: LiteConfig | undefined;
    const { compare } = createShadowService({
      ...{ database, pool, now: () => nowMs, modelVersion: '0' },
      findLiteConfig: () => Promise.resolve(liteConfig),
    });
    await recordReported(database, scope, sessions, nowMs);
    await workOff(database);
    const labels = createLabelWork({ database, logger });
    while ((await labels.next()) > 0);
    await recountReports(database, scope.namespace, nowMs);
    t.match(await compare(scope, {}), { config: null, compared: 0, flips: [], note: /Set config.liteConfig.shadow/ });

    // All sessions came without a probe, so that its knob alone decides: review, and allow for one source.
    const shadow = { noProbeRiskScore: 60, perSource: { 'supplier-0': { noProbeRiskScore: 0 } } };
    liteConfig = { blockThreshold: 80, shadow };
    const report = await compare(scope, {});
    const newest = `(SELECT *, CASE source WHEN 'supplier-0' THEN 'allow' ELSE 'review' END AS shadow
       FROM recounted ORDER BY scored_at DESC LIMIT ${shadowSessionsMax}) AS newest`;
    const flips = await database.query<{ from: string; to: string; sessions: number }>(
      `SELECT recommendation AS "from", shadow AS "to", count(*)::int AS sessions FROM ${newest}
        WHERE recommendation <> shadow GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`,
    );
    t.same(report.flips, flips);
    t.match(report, { config: shadow, compared: shadowSessionsMax, complete: false, note: null, otherModel: 0 });
    t.equal(report.agreements, shadowSessionsMax - flips.reduce((sum, flip) => sum + flip.sessions, 0));
    t.equal(report.examples.length, 50);
    const [labelled] = await database.query<Record<'fraud' | 'caught' | 'honest' | 'stopped', number>>(
      `SELECT (count(*) FILTER (WHERE label = 'fraud'))::int AS fraud,
              (count(*) FILTER (WHERE label = 'fraud' AND recommendation = 'block'))::int AS caught,
              (count(*) FILTER (WHERE ripe))::int AS honest, (count(*) FILTER (WHERE ripe AND recommendation <> 'allow'))::int AS stopped
         FROM (SELECT *, label = 'complete' AND label_day <= $1::date - 60 AS ripe FROM recounted) AS aged`,
      [new Date(nowMs).toISOString().slice(0, 10)],
    );
    const { fraud = 0, caught = 0, honest = 0, stopped = 0 } = labelled ?? {};
    t.match(report.labelled, { fraud, honest });
    t.ok(fraud > 100 && honest > 100);
    t.equal(report.labelled.fraudCaught.live?.value, caught / fraud);
    t.equal(report.labelled.fraudCaught.shadow?.value, 0);
    t.equal(report.labelled.honestStopped.live?.value, stopped / honest);

    const one = await compare(scope, { sourceId: 'supplier-0', studyId: 'study-1' });
    const [counted] = await database.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM recounted WHERE source = 'supplier-0' AND study_id = 'study-1'",
    );
    t.match(one, {
      compared: counted?.n,
      complete: true,
      shadow: { allow: counted?.n },
      sources: [{ sourceId: 'supplier-0' }],
    });
    t.match(await compare(scope, { from: new Date(nowMs + 86_400_000).toISOString() }), {
      compared: 0,
      note: /No session/,
    });

    liteConfig = { shadow: { modelVersion: 'ffffffffffffffff' } };
    t.match(await compare(scope, {}), { compared: 0, note: /carries 0/ }, 'an upgrade took its model away');
    await t.rejects(compare(scope, { sourceId: 'nobody' }), { code: 'VALIDATION_FAILED' });
  });
  t.end();
});
