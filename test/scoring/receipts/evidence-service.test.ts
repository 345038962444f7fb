import { readFileSync } from 'node:fs';
import { pack } from 'msgpackr';
import t, { type Test } from 'tap';
import type { KeyCaller } from '../../../src/kernel/caller.js';
import { createBatchSigner } from '../../../src/crypto/batch-signer.js';
import { deriveSigningKey } from '../../../src/crypto/master-key.js';
import { createPool } from '../../../src/pool/pool.js';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { createEvidenceService } from '../../../src/scoring/receipts/evidence-service.js';
import type { Receipt } from '../../../src/record/types.js';
import { createReceiptRecorder } from '../../../src/scoring/receipts/receipts.js';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import { migrate } from '../../../src/stores/database/migrate.js';
import { openEmbeddedDatabase } from '../../../src/stores/database/embedded/open.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { cleanFacts } from '../../helpers/facts.js';
import { scoreInput } from '../../stores/counters/inputs.js';

t.setTimeout(120_000);

/** A receipt as an earlier version recorded it: without the facts that were added since, which are absent and not null. */
const older = JSON.parse(readFileSync('test/scoring/recorded/older-receipt.json', 'utf8')) as Omit<Receipt, 'facts'> & {
  readonly facts: ScoreFacts;
};
const receiptKey = deriveSigningKey(new Uint8Array(32), 'receipts');

async function openEvidence(t: Test) {
  const database = await openEmbeddedDatabase({ directory: null });
  t.teardown(() => database.close());
  await migrate(database);
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
    ...createEvidenceService({ database, counters, pool, receiptKeys: [receiptKey] }),
  };
}

t.test(
  'a receipt of an earlier version is rendered again, and the note says how far that can be trusted',
  async (t) => {
    const { database, evidence, modelVersion } = await openEvidence(t);
    const record = createReceiptRecorder(database);
    const caller = { ...older, isTest: false, isDemo: false } as unknown as KeyCaller;
    const render = async (last: string, over: Partial<Receipt['verdict']> = {}, forge = false) => {
      const receiptId = older.receiptId.slice(0, -1) + last;
      const receipt = { ...older, receiptId, verdict: { ...older.verdict, ...over }, facts: pack(older.facts) };
      const signed = new Uint8Array(pack(receipt));
      const seal = await createBatchSigner(receiptKey).seal(forge ? Buffer.from('another') : signed);
      await record([{ key: receiptId, value: pack({ signed, seal }) }]);
      return evidence(caller, receiptId);
    };

    const same = await render('1');
    t.equal(same.provenance.faithful, true);
    t.match(same.provenance.note, /another version of the rules.*every finding is sorted as it was then/);
    t.equal(same.provenance.modelVersion, modelVersion, 'of the rules that rendered it');
    t.same([same.sessionId, same.scoredAt], [older.facts.sessionId, new Date(older.facts.scoredAtMs).toISOString()]);
    t.ok(same.evidence.against.some(({ code }) => code === 'webdriver') && same.evidence.summary !== '');
    t.notMatch(JSON.stringify(same), /weight|logit|threshold/i);

    const untold = await render('2', { modelVersion: undefined as unknown as string });
    t.equal(untold.provenance.faithful, true, 'what was recorded before the version was told is compared all the same');

    const [first, ...rest] = older.verdict.classification;
    const changed = await render('3', { classification: [{ ...first!, strength: 'weak' }, ...rest] });
    t.equal(changed.provenance.faithful, false);
    t.match(changed.provenance.note, /some findings are sorted differently.*The reply given then is authoritative/);

    const added = await render('4', { classification: rest });
    t.equal(added.provenance.faithful, false, 'a finding that was not there then is a difference');

    const altered = await render('5', {}, true);
    t.equal(altered.provenance.faithful, false);
    t.match(altered.provenance.note, /does not match its signature.*The reply given at scoring time is authoritative/);

    const current = await render('6', { modelVersion });
    t.equal(current.provenance.faithful, true);
    t.match(current.provenance.note, /every finding is sorted as when the session was scored/);
  },
);

t.test('faithful is said only of what was compared, also while only the counters store has the receipt', async (t) => {
  const { counters, evidence, modelVersion } = await openEvidence(t);
  const owner = { organizationId: 'org_1', projectId: 'proj_1', lineage: 'key_1' };

  const faithful = async (session: string, scoredBy: object): Promise<boolean> => {
    const nowMs = Date.now();
    const receiptId = `rcpt_${session}`;
    const subjects = { respondent: null, source: null, subSource: null };
    const base = { owner: { ...owner, receiptId }, sourceId: null, trace: { device: null }, subjects, ...scoredBy };
    const content = pack({ ...base, facts: cleanFacts() });
    await counters.countScore(scoreInput('proj_1', session, { nowMs, receiptId, content }));
    const caller = { ...owner, isTest: false, isDemo: false } as KeyCaller;
    const { provenance } = await evidence(caller, receiptId);
    if (!provenance.faithful) t.match(provenance.note, /not compared. The reply given then is authoritative/);
    return provenance.faithful;
  };
  t.equal(await faithful('now', { modelVersion }), true);
  t.equal(await faithful('before', { modelVersion: 'of other rules' }), false);
  t.equal(await faithful('untold', {}), false);
});
