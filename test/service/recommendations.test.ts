import t from 'tap';
import type { RecommendationsReply, SimulationReply } from '../../src/contract/thresholds.js';
import { createBatchSigner } from '../../src/crypto/batch-signer.js';
import { createMakeRef, deriveSigningKey, loadMasterKey } from '../../src/crypto/master-key.js';
import { readSettings } from '../../src/config/read.js';
import { findKeyByHash, hashSecret } from '../../src/administration/api-keys.js';
import { openFacts, packOutcome } from '../../src/record/record.js';
import { joinParts } from '../../src/record/codec.js';
import { appendReceipt } from '../../src/scoring/receipts/receipts.js';
import { openStores } from '../../src/stores/open.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { recordVerdict, scoreFacts } from '../../workers/scoring/score.js';
import { inventMonth, recordSession } from '../helpers/invented-month.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(180_000);
const first = await startTestService(t);
await first.stop();
const { dataDirectory, bootstrap } = first;
const month = inventMonth(Date.now());

/** Writes the receipts of the month to the log of the stopped service. */
async function appendMonth(): Promise<void> {
  const stores = await openStores({
    settings: readSettings({ VH_DATA_DIR: dataDirectory }),
    logger: createLogger('silent'),
    metrics: createMetrics(),
  });
  const key = await findKeyByHash(stores.database, hashSecret(bootstrap.projectKey).toString('hex'));
  if (key?.projectId == null) throw new Error('there is no demo project');
  const { organizationId, projectId, lineage } = key;
  const masterKey = loadMasterKey(dataDirectory);
  const makeRef = createMakeRef(masterKey);
  const signer = createBatchSigner(deriveSigningKey(masterKey, 'receipts'));
  for (const session of month) {
    const { receiptId, facts } = recordSession(session, { organizationId, projectId, lineage }, makeRef);
    const opened = openFacts(facts);
    const record = joinParts(facts, packOutcome(recordVerdict(scoreFacts(opened)), opened));
    await appendReceipt(stores.log, signer, { receiptId, record });
  }
  await stores.close();
}
await appendMonth();
const service = await startTestService(t, { VH_DATA_DIR: dataDirectory });
const simulate = async (body: object): Promise<SimulationReply> =>
  (await service.call('POST', '/lite/simulate', { body })).body;
const heardOf = month.filter(({ outcomes }) => outcomes.length > 0);
const reversed = heardOf.filter(({ outcomes }) => outcomes.some(({ type }) => type === 'buyer_reject'));
const expected = { fraud: reversed.length, honest: heardOf.length - reversed.length };
const present = { reviewLow: 40, blockThreshold: 75 };

t.test('a month of receipts and outcomes is counted and labelled, and each flip leads to its evidence', async (t) => {
  const events = month.flatMap(({ outcomes }) => outcomes);
  for (let start = 0; start < events.length; start += 200)
    t.match(await service.call('POST', '/lite/events', { body: { events: events.slice(start, start + 200) } }), {
      status: 200,
      body: { rejected: 0 },
    });
  const isCounted = async (): Promise<boolean> => {
    const { sessions, labelled } = await simulate(present);
    return sessions === month.length && labelled.fraud === expected.fraud && labelled.honest === expected.honest;
  };
  await waitUntil(isCounted, 'all are counted and labelled', 90_000);
  t.ok(await isCounted());
  const reply = await simulate({ reviewLow: 10, blockThreshold: 40 });
  t.ok(reply.flips.length > 0);
  const [flip] = reply.flips;
  const evidence = await service.call('GET', `/lite/score/${flip?.receiptId}/evidence`);
  t.match(evidence, { status: 200, body: { sessionId: flip?.sessionId, provenance: { faithful: true } } });
});

t.test('a new user sees a suggestion for the project, and labels for each supplier', async (t) => {
  const answer = await service.call('GET', '/lite/threshold-recommendations?targetFalseBlockRate=0.02');
  const { sources } = answer.body as RecommendationsReply;
  t.match(sources[0], {
    ...{ sourceId: null, status: 'ok', current: present },
    suggested: { reviewLow: Number, blockThreshold: Number },
    projected: {
      catchRate: Number,
      catchRateDelta: Number,
      falseBlockRate: Number,
      falseBlockRateDelta: Number,
      labelled: { honestReviewed: Number },
    },
  });
  const path = '/lite/threshold-recommendations?targetFalseBlockRate=0.02&reviewBudget=0.02';
  const again = (await service.call('GET', path)).body as RecommendationsReply;
  t.same(again.sources[0]?.current, present, 'nothing is applied by itself');
  t.equal(again.reviewBudget, 0.02);
  const [ten = 1, two = 1] = [sources, again.sources].map(([project]) => project?.projected?.reviewRate);
  t.ok(two <= 0.02 && two < ten, `${two} of the sessions are reviewed, and not ${ten}`);
  t.equal(sources.length, 4);
  t.ok(sources.every(({ labels }) => labels.honest > 0 && labels.fraud > 0));
});
