/** `provenance.faithful: false` of a service: a receipt that other rules sorted, and one that was altered where it lies. */
import t from 'tap';
import type { EvidenceReply, ScoreReply } from '../../src/contract/score.js';
import { createBatchSigner } from '../../src/crypto/batch-signer.js';
import { deriveSigningKey, loadMasterKey } from '../../src/crypto/master-key.js';
import { decodeCounters, openBase, openReceipt, openSealed, packSealed } from '../../src/record/record.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { withDatabase } from '../helpers/organizations.js';
import { recordOf } from '../helpers/records.js';
import { startTestService, type TestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const VH_DATA_DIR = temporaryDirectory(t);
const evidenceOf = async (service: TestService, receiptId: string): Promise<EvidenceReply> =>
  (await service.call('GET', `/lite/score/${receiptId}/evidence`)).body;

t.test(
  'false where findings are sorted differently or the record is not what was signed, and the note says which',
  async (t) => {
    const first = await startTestService(t, { VH_DATA_DIR });
    const score = async (sessionId: string): Promise<ScoreReply> =>
      (
        await first.call('POST', '/lite/score', {
          body: { sessionId, clientIp: '203.0.113.9', userAgent: 'Mozilla/5.0 HeadlessChrome/120.0.0.0' },
        })
      ).body;
    const [kept, resorted, altered] = [await score('kept'), await score('resorted'), await score('altered')];
    t.match(kept.evidence.against, [{ code: 'headless_user_agent' }]);
    const recorded = async (): Promise<number> =>
      ((await first.call('GET', '/lite/sessions')).body as { sessions: unknown[] }).sessions.length;
    await waitUntil(async () => (await recorded()) === 3, 'the receipts are recorded');
    await first.stop();

    const signer = createBatchSigner(deriveSigningKey(loadMasterKey(VH_DATA_DIR), 'receipts'));
    await withDatabase(VH_DATA_DIR, async (database) => {
      const rewrite = async (receiptId: string, isSigned: boolean): Promise<void> => {
        const [row] = await database.query<{ record: Uint8Array; seal: Uint8Array }>(
          'SELECT record, seal FROM receipts WHERE receipt_id = $1',
          [receiptId],
        );
        if (row === undefined) throw new Error('there is no such receipt');
        const { verdict } = openReceipt(row.record);
        const classification = verdict.classification.map((sorted) => ({ ...sorted, strength: 'weak' as const }));
        const other = { ...verdict, classification, modelVersion: 'of other rules' };
        const record = recordOf(openBase(row.record), decodeCounters(row.record), other);
        const seal = isSigned ? openSealed(packSealed(record, await signer.seal(record))).seal : row.seal;
        await database.query('UPDATE receipts SET record = $2, seal = $3 WHERE receipt_id = $1', [
          receiptId,
          record,
          seal,
        ]);
      };
      await rewrite(resorted.receiptId, true);
      await rewrite(altered.receiptId, false);
    });

    const service = await startTestService(t, { VH_DATA_DIR });
    const faithful = await evidenceOf(service, kept.receiptId);
    t.equal(faithful.provenance.faithful, true);
    t.same(faithful.evidence, kept.evidence);
    for (const [{ receiptId, evidence }, note] of [
      [resorted, /Another version of the rules.*sorted differently.*The reply given then is authoritative/],
      [altered, /does not match its signature.*The reply given at scoring time is authoritative/],
    ] as const) {
      const { provenance, evidence: rendered } = await evidenceOf(service, receiptId);
      t.equal(provenance.faithful, false);
      t.match(provenance.note, note);
      t.same(rendered, evidence, 'the prose is rendered from the recorded inputs all the same');
    }
  },
);
