import { pack } from 'msgpackr';
import t from 'tap';
import { deriveSigningKey } from '../../src/crypto/master-key.js';
import type { KeyCaller } from '../../src/http/access.js';
import { createPool } from '../../src/pool/pool.js';
import { createEvidenceService } from '../../src/scoring/evidence-service.js';
import { openMemoryCounters } from '../../src/stores/counters/memory/open.js';
import { migrate } from '../../src/stores/database/migrate.js';
import { openEmbeddedDatabase } from '../../src/stores/database/embedded/open.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { cleanFacts } from '../helpers/facts.js';
import { scoreInput } from '../stores/counters/inputs.js';

t.setTimeout(120_000);

t.test('faithful is said only of what was compared, also while only the counters store has the receipt', async (t) => {
  const database = await openEmbeddedDatabase({ directory: null });
  t.teardown(() => database.close());
  await migrate(database);
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 1_000 });
  t.teardown(() => counters.close());
  const pool = createPool({
    entry: new URL('../../workers/main.js', import.meta.url),
    threads: 1,
    queueMax: 10,
    deadlineMs: 20_000,
    metrics: createMetrics(),
  });
  t.teardown(() => pool.close());
  const { modelVersion } = await pool.run({ kind: 'model' });
  const receiptKey = deriveSigningKey(new Uint8Array(32), 'receipts');
  const { evidence } = createEvidenceService({ database, counters, pool, receiptKey });
  const owner = { organizationId: 'org_1', projectId: 'proj_1', lineage: 'key_1' };

  const faithful = async (session: string, scoredBy: object): Promise<boolean> => {
    const nowMs = Date.now();
    const receiptId = `rcpt_${session}`;
    const subjects = { respondent: null, source: null, subSource: null };
    const base = { owner: { ...owner, receiptId }, sourceId: null, trace: { device: null }, subjects, ...scoredBy };
    const content = pack({ ...base, facts: cleanFacts() });
    await counters.countScore(scoreInput('proj_1', session, { nowMs, receiptId, content }));
    const caller = { ...owner, isTest: false, isDemo: false } as KeyCaller;
    return (await evidence(caller, receiptId)).provenance.faithful;
  };
  t.equal(await faithful('now', { modelVersion }), true);
  t.equal(await faithful('before', { modelVersion: 'of other rules' }), false);
  t.equal(await faithful('untold', {}), false);
});
