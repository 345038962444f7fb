/** Webhooks of a verification, as delivered, against the reply that the page got. */
import t from 'tap';
import { createPatch } from '../helpers/project-fields.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { automated, createSession, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const service = await startTestService(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const patch = createPatch(t, service);
const receiver = await startReceiver(t);
const events = ['verification.completed', 'verification.failed', 'verification.passed', 'verification.scored'];
await service.call('POST', `/projects/${service.bootstrap.projectId}/webhooks`, {
  body: { url: receiver.url, events },
});

type Data = Readonly<Record<string, unknown>>;
/** Completes a session; answers what the page got and the data of its two events. */
async function complete(over: Readonly<Record<string, unknown>> = {}) {
  const { body } = await verify(service, await createSession(service), over);
  const read = () =>
    receiver.received
      .map((received) => JSON.parse(received.body) as { event: string; data: Data })
      .filter(({ data }) => data['session_id'] === body.sessionId);
  await waitUntil(() => read().length === 2, 'both events arrive');
  return { body, data: Object.fromEntries(read().map(({ event, data }) => [event, data])) as Record<string, Data> };
}

t.test('failure_category is there whenever the verdict is not clean, and absent otherwise', async (t) => {
  const failed = await complete(automated);
  for (const event of ['verification.completed', 'verification.failed'])
    t.match(failed.data[event], { status: 'fail', failure_category: failed.body.failureCategory }, event);
  const passed = await complete();
  for (const data of Object.values(passed.data)) t.notOk('failure_category' in data, 'absent means pass');

  await patch({ verificationMode: 'score' });
  const scored = await complete(automated);
  t.match(scored.data['verification.scored'], {
    status: 'scored',
    recommended_decision: 'block',
    failure_category: scored.body.failureCategory,
  });
  t.match(scored.data['verification.completed'], { status: 'fail', failure_category: scored.body.failureCategory });
  const clean = await complete();
  t.match(clean.data['verification.scored'], { status: 'scored', recommended_decision: 'allow' });
  t.notOk('failure_category' in (clean.data['verification.scored'] ?? {}));
  await patch({ scoreModeConfig: { blockAboveRisk: 0 } });
  const fenced = await complete();
  t.match(fenced.data['verification.scored'], {
    status: 'score_blocked',
    recommended_decision: 'block',
    failure_category: 'fingerprint',
  });
  await patch({ verificationMode: null, scoreModeConfig: null });
});

t.test('risk has one shape in the answer, the result and the webhooks: contributions are a list', async (t) => {
  await patch({
    verificationMode: 'score',
    scoreModeConfig: { exposeBreakdown: true },
    config: { riskAggregator: 'on' },
  });
  const { body, data } = await complete(automated);
  for (const [event, { risk }] of Object.entries(data)) {
    const { contributions } = risk as { contributions: object[] };
    t.ok(Array.isArray(contributions) && contributions.length > 0, event);
    t.match(contributions[0], { signal: String, axis: String, contribution: Number });
    t.match(risk, { overall: body.risk?.overall, droppedSignals: body.risk?.droppedSignals });
  }
});
