import t from 'tap';
import { fairGroupMin, fairnessSessionsMax, type FairnessReply } from '../../../src/contract/reports.js';
import type { PoolTask } from '../../../src/contract/pool.js';
import { createBatchSigner } from '../../../src/crypto/batch-signer.js';
import { makeId } from '../../../src/crypto/ids.js';
import { deriveSigningKey } from '../../../src/crypto/master-key.js';
import type { Pool } from '../../../src/pool/pool.js';
import { packSealed } from '../../../src/record/record.js';
import { createReceiptRecorder } from '../../../src/scoring/receipts/receipts.js';
import { createReportService } from '../../../src/scoring/thresholds/report-service.js';
import { judgeFairness } from '../../../workers/thresholds/fairness.js';
import { onBothStores } from '../../helpers/both-stores.js';
import { cleanFacts } from '../../helpers/facts.js';
import { cleanVerdict, recordOf, splitFacts } from '../../helpers/records.js';

const signer = createBatchSigner(deriveSigningKey(new Uint8Array(32), 'receipts'));
const pool = {
  run: (task: PoolTask) =>
    task.kind === 'fairness' ? Promise.resolve(judgeFairness(task.honest)) : Promise.reject(new Error(task.kind)),
} as unknown as Pool;
const projectId = 'proj_fair';
const scope = { organizationId: 'org_fair', projectId, namespace: projectId };
const dayMs = 86_400_000;

const agents = {
  phone:
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36',
  tablet: 'Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36',
  pad: 'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1 Mobile/15E148 Safari/604.1',
  desktop: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0',
} as const;
const tierOf = { phone: 'phone', tablet: 'tablet', pad: 'tablet', desktop: 'desktop' } as const;
const browserOf = { phone: 'chrome', tablet: 'chrome', pad: 'safari', desktop: 'firefox' } as const;
const kinds = ['phone', 'tablet', 'pad', 'desktop'] as const;
const countries = ['DE', 'FR', 'PL'] as const;

/** Every kind, country, label and recommendation in turn; the name says which, for the recount. */
const invented = Array.from({ length: 600 }, (_, n) => {
  const kind = kinds[n % 4] ?? 'phone';
  const country = countries[n % 40 === 0 ? 2 : (n >> 2) % 2] ?? 'DE';
  const label = (['ripe', 'ripe', 'ripe', 'young', 'fraud', 'none'] as const)[n % 6] ?? 'none';
  const lenient = n % 5 === 0 ? ('review' as const) : ('allow' as const);
  const recommendation = n % 7 === 0 ? ('block' as const) : lenient;
  const studyId = n % 3 === 0 ? 'study' : 'other';
  const sessionId = [tierOf[kind], browserOf[kind], country, n].join('/');
  return { kind, country, label, recommendation, studyId, sessionId };
});

onBothStores(t, 'fairness', (t, open) => {
  t.test('the report agrees with a recount of sessions and outcomes', async (t) => {
    const { database } = await open(t);
    const { fairness } = createReportService({ database, pool, now: Date.now });
    t.match(await fairness(scope, {}), { all: { sessions: 0 }, complete: true, groups: [] });
    for (const { label, sessionId } of invented)
      if (label !== 'none')
        await database.query(
          "INSERT INTO adjudications (namespace, session_ref, fraud, clawback, at, subjects) VALUES ($1, $2, $3, false, $4, '{}')",
          [projectId, sessionId, label === 'fraud', new Date(Date.now() - (label === 'young' ? 20 : 70) * dayMs)],
        );
    const entries = invented.map(async ({ kind, country, recommendation, studyId, sessionId }) => {
      const receiptId = makeId('receipt');
      const clean = cleanFacts();
      const { base, counted } = splitFacts({
        ...clean,
        ...{ receiptId, sessionId, userAgent: agents[kind], address: { ...clean.address, country } },
      });
      const packed = recordOf(
        {
          ...{ ...base, studyId },
          owner: { ...base.owner, organizationId: scope.organizationId, projectId, receiptId },
          trace: { ...base.trace, session: sessionId },
        },
        counted,
        { ...cleanVerdict, recommendation },
      );
      return { key: receiptId, value: packSealed(packed, await signer.seal(packed)) };
    });
    await createReceiptRecorder(database)(await Promise.all(entries));

    for (const studyId of [undefined, 'study']) {
      const report: FairnessReply = await fairness(scope, studyId === undefined ? {} : { studyId });
      for (const [place, by] of ['device', 'browser', 'country'].entries()) {
        const recounted = await database.query<{ value: string; sessions: number }>(
          `SELECT split_part(session_id, '/', $1) AS value, count(*)::int AS sessions, (count(*) FILTER (WHERE recommendation = 'review'))::int AS reviewed,
                  (count(*) FILTER (WHERE recommendation = 'block'))::int AS blocked
             FROM session_index JOIN adjudications USING (namespace, session_ref)
            WHERE NOT fraud AND at < now() - interval '60 days' AND ($2::text IS NULL OR study_id = $2) GROUP BY 1`,
          [place + 1, studyId ?? null],
        );
        const large = recounted.filter(({ sessions }) => sessions >= fairGroupMin);
        const own = report.groups.filter((group) => group.by === by);
        t.ok(large.length > 1, `${by}: there are groups to compare`);
        for (const { value, ...figures } of large)
          t.match(
            own.find((group) => group.value === value),
            figures,
          );
        t.equal(
          own.reduce((sum, { sessions }) => sum + sessions, 0),
          report.all.sessions,
          'nobody is lost',
        );
        t.equal(recounted.length > large.length, own.at(-1)?.value === 'other', `${by}: small groups are folded`);
      }
    }
    t.match(await fairness(scope, { to: new Date(Date.now() - dayMs).toISOString() }), { all: { sessions: 0 } });
    await t.rejects(fairness(scope, { sourceId: 'nobody' }), { code: 'VALIDATION_FAILED' });
    t.ok(invented.length < fairnessSessionsMax);
  });
  t.end();
});
