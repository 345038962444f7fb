import t from 'tap';
import type { RecommendationsReply, SimulationReply } from '../../src/contract/thresholds.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import { sendOperatorCommand } from '../../src/projects/operator/operator-channel.js';
import { inventSessions } from '../../src/scoring/demo-traffic/invented-sessions.js';
import { createRandom } from '../../workers/seeded-random.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(180_000);
const service = await startTestService(t);
const masterKey = loadMasterKey(service.dataDirectory);
const invent = () => sendOperatorCommand(service.bootstrap.adminUrl, masterKey, { command: 'demo-traffic' });
const simulate = async (body: object): Promise<SimulationReply> =>
  (await service.call('POST', '/lite/simulate', { body })).body;
/** The sessions of the invented month that have outcomes, whatever day it ends on. */
const heardOf = inventSessions(1_200, 0, createRandom(20_261)).filter(({ outcomes }) => outcomes.length > 0);
const reversed = heardOf.filter(({ outcomes }) => outcomes.some(({ type }) => type === 'buyer_reject'));
const expected = { fraud: reversed.length, honest: heardOf.length - reversed.length };
const present = { reviewLow: 40, blockThreshold: 75 };

t.test(
  'the demo project gets a month of sessions that are marked as invented, once however often it is asked for',
  async (t) => {
    const sent = await invent();
    t.match(sent, { outcome: 'done', reply: { projectId: service.bootstrap.projectId, sessions: 1_200 } });
    const isCounted = async (): Promise<boolean> => {
      const { sessions, labelled } = await simulate(present);
      return sessions === 1_200 && labelled.fraud === expected.fraud && labelled.honest === expected.honest;
    };
    await waitUntil(isCounted, 'all are counted and labelled', 90_000);
    t.ok(await isCounted());
    const reply = await simulate({ reviewLow: 10, blockThreshold: 40 });
    t.ok(reply.flips.length > 0 && reply.flips.every(({ sessionId }) => sessionId.startsWith('invented-')));
    const [flip] = reply.flips;
    const evidence = await service.call('GET', `/lite/score/${flip?.receiptId}/evidence`);
    t.match(evidence, { status: 200, body: { sessionId: flip?.sessionId, provenance: { faithful: true } } });
    const before = await simulate(present);
    const again = await invent();
    t.match(again, { outcome: 'done' }, JSON.stringify(again));
    t.same(await simulate(present), before, 'a second time adds nothing');
  },
);

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
  const again = await service.call('GET', '/lite/threshold-recommendations?targetFalseBlockRate=0.02');
  t.same((again.body as RecommendationsReply).sources[0]?.current, present, 'nothing is applied by itself');
  t.equal(sources.length, 4);
  t.ok(sources.every(({ labels }) => labels.honest > 0 && labels.fraud > 0));
});
