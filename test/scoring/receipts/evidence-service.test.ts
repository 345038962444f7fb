import t, { type Test } from 'tap';
import { scoreFacts, recordVerdict } from '../../../workers/scoring/score.js';
import type { KeyCaller } from '../../../src/kernel/caller.js';
import { createBatchSigner } from '../../../src/crypto/batch-signer.js';
import { deriveSigningKey } from '../../../src/crypto/master-key.js';
import { createPool } from '../../../src/pool/pool.js';
import type { RecordedVerdict } from '../../../src/contract/pool.js';
import { makeId } from '../../../src/crypto/ids.js';
import { assembleFacts } from '../../../src/record/assemble-facts.js';
import { packBase, packSealed } from '../../../src/record/record.js';
import { underReceipt } from '../../../src/scoring/gather.js';
import { createEvidenceService } from '../../../src/scoring/receipts/evidence-service.js';
import { createReceiptRecorder } from '../../../src/scoring/receipts/receipts.js';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { cleanFacts, humanBody, humanTransport } from '../../helpers/facts.js';
import { recordOf, splitFacts } from '../../helpers/records.js';
import { scoreInput } from '../../stores/counters/inputs.js';

t.setTimeout(120_000);

const webdriver = { auto: { webdriver: true, globals: [], debugStack: null, debugGetter: null } };
const receiptKey = deriveSigningKey(new Uint8Array(32), 'receipts');

async function openEvidence(t: Test) {
  const database = await openTestDatabase(t);
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 1_000 });
  t.teardown(() => counters.close());
  const pool = createPool({
    entry: new URL('../../../workers/main.js', import.meta.url),
    threads: 1,
    queueMax: 10,
    deadlineMs: 20_000,
    metrics: createMetrics(),
  });
  t.teardown(() => pool.close());
  const { modelVersion } = await pool.run({ kind: 'model' });
  return {
    database,
    counters,
    modelVersion,
    ...createEvidenceService({
      database,
      counters,
      pool,
      receiptKeys: [receiptKey],
      isPlace: () => Promise.resolve(false),
    }),
  };
}

t.test('a receipt of other rules is rendered again, and the note says how far that can be trusted', async (t) => {
  const { database, evidence, modelVersion } = await openEvidence(t);
  const record = createReceiptRecorder(database);
  const { base, counted } = splitFacts(
    cleanFacts({ probe: { body: humanBody(webdriver), transport: humanTransport } }),
  );
  const facts = assembleFacts(base, counted);
  const verdict = { ...recordVerdict(scoreFacts(facts)), modelVersion: 'of other rules' };
  const caller = { ...base.owner, isTest: false, isDemo: false } as unknown as KeyCaller;
  const render = async (over: Partial<RecordedVerdict> = {}, forge = false) => {
    const receiptId = makeId('receipt');
    const packed = recordOf(underReceipt(base, receiptId), counted, { ...verdict, ...over });
    const seal = await createBatchSigner(receiptKey).seal(forge ? Buffer.from('another') : packed);
    await record([{ key: receiptId, value: packSealed(packed, seal) }]);
    return evidence(caller, receiptId, 'en');
  };

  const same = await render();
  t.equal(same.provenance.faithful, true);
  t.match(same.provenance.note, /another version of the rules.*every finding is sorted as it was then/);
  t.equal(same.provenance.modelVersion, modelVersion, 'of the rules that rendered it');
  t.same([same.sessionId, same.scoredAt], [facts.sessionId, new Date(facts.scoredAtMs).toISOString()]);
  t.ok(same.evidence.against.some(({ code }) => code === 'webdriver') && same.evidence.summary !== '');
  t.notMatch(JSON.stringify(same), /weight|logit|threshold/i);

  const [first, ...rest] = verdict.classification;
  const changed = await render({ classification: [{ ...first!, strength: 'weak' }, ...rest] });
  t.equal(changed.provenance.faithful, false);
  t.match(changed.provenance.note, /some findings are sorted differently.*The reply given then is authoritative/);

  const added = await render({ classification: rest });
  t.equal(added.provenance.faithful, false, 'a finding that was not there then is a difference');

  const altered = await render({}, true);
  t.equal(altered.provenance.faithful, false);
  t.match(altered.provenance.note, /does not match its signature.*The reply given at scoring time is authoritative/);

  const current = await render({ modelVersion });
  t.equal(current.provenance.faithful, true);
  t.match(current.provenance.note, /every finding is sorted as when the session was scored/);
});

t.test('faithful is said only of what was compared, also while only the counters store has the receipt', async (t) => {
  const { counters, evidence, modelVersion } = await openEvidence(t);
  const owner = { organizationId: 'org_1', projectId: 'proj_1', lineage: 'key_1' };

  const faithful = async (session: string, scoredBy: string): Promise<boolean> => {
    const nowMs = Date.now();
    const receiptId = `rcpt_${session}`;
    const { base } = splitFacts(cleanFacts({ receiptId }));
    const content = packBase({ ...base, owner: { ...owner, receiptId }, modelVersion: scoredBy });
    await counters.countScore(scoreInput('proj_1', session, { nowMs, receiptId, content }));
    const caller = { ...owner, isTest: false, isDemo: false } as KeyCaller;
    const { provenance } = await evidence(caller, receiptId, 'en');
    if (!provenance.faithful) t.match(provenance.note, /not compared. The reply given then is authoritative/);
    return provenance.faithful;
  };
  t.equal(await faithful('now', modelVersion), true);
  t.equal(await faithful('before', 'of other rules'), false);
});
