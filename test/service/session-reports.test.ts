/** Reports on one session: to the page, with its token, and to the webhooks of each event and version. */
import t from 'tap';
import type { ScoreEnvelope, VerifyReply } from '../../src/contract/score-envelope.js';
import type { TokenReply } from '../../src/contract/token.js';
import type { CreatedWebhookReply, DeliveryReply } from '../../src/contract/webhook.js';
import { measurePerson } from '../helpers/face-sessions.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { automated, createSession, readResult, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const clock = { aheadMs: 0 };
const now = (): number => Date.now() + clock.aheadMs;
const service = await startTestService(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' }, { now });
const { projectId, organizationKey } = service.bootstrap;
const webhooks = `/projects/${projectId}/webhooks`;
const call = async <T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> =>
  service.call(method, path, body === undefined ? {} : { body, headers: { 'x-api-key': organizationKey } });
const patch = async (body: object): Promise<void> =>
  void t.equal((await call('PATCH', `/projects/${projectId}`, body)).status, 200);
const register = async (receiver: Receiver, fields: object): Promise<CreatedWebhookReply> =>
  (await call<CreatedWebhookReply>('POST', webhooks, { url: receiver.url, ...fields })).body;

const hanging = await startReceiver(t);
hanging.answer(() => undefined);
const slow = await register(hanging, {});
await call('POST', `${webhooks}/${slow.webhookId}/test`);

const events = ['verification.completed', 'verification.passed', 'verification.failed', 'verification.scored'];
const [all, first, byDefault] = [await startReceiver(t), await startReceiver(t), await startReceiver(t)];
await register(all, { events });
const legacy = await register(first, { events, payloadVersion: 'v1' });
await register(byDefault, {});

interface Payload {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly session_id: string };
}
const told = (receiver: Receiver, sessionId: string): readonly Payload[] =>
  receiver.received
    .map(({ body }) => JSON.parse(body) as Payload)
    .filter(({ data }) => data.session_id === sessionId)
    .sort((a, b) => a.event.localeCompare(b.event));
const eventsOf = (receiver: Receiver, sessionId: string) =>
  told(receiver, sessionId).map(({ event, data }) => [event, data['status']]);
const named = { studyId: 'study-1', respondentId: 'person-1', metadata: { wave: 1 }, dataCollector: 'field-3' };

/** A session from its creation to its deliveries. */
async function take(over: object = {}): Promise<{ reply: VerifyReply; envelope: ScoreEnvelope; token: TokenReply }> {
  const session = await createSession(service, named);
  const { status, body: reply } = await verify(service, session, { ...over });
  t.equal(status, 200, JSON.stringify(reply));
  const { body: envelope } = await readResult(service, session);
  const { body: token } = await service.call('POST', '/token/verify', { body: { token: reply.verificationToken } });
  await waitUntil(() => [all, first].every((each) => told(each, reply.sessionId).length === 2), 'both events arrive');
  await waitUntil(() => told(byDefault, reply.sessionId).length === 1, 'the default arrives');
  return { reply, envelope, token };
}

const v1Fields = ['assuranceLevel', 'project_id', 'scores', 'session_id', 'status', 'verificationOutcome'];
const omittedInV1 = [
  'biometricEvidence',
  ...['respondent_id', 'metadata', 'timestamp', 'fraud_signals', 'failure_reasons', 'summary', 'demographics'],
  ...['is_duplicate', 'low_quality', 'high_fraud_risk', 'data_collector', 'study_id', 'link_id', 'mode'],
];

t.test('a pass: what the page, the token and each version of the webhook carry', async (t) => {
  const { reply, envelope, token } = await take();
  const flags = { isDuplicate: false, lowQuality: Boolean, highFraudRisk: false };
  const scores = { liveness: null, uniqueness: null, authenticity: Number, overall: Number };
  t.match(reply, {
    status: 'pass',
    verificationToken: /^[\w-]+\.[\w-]+\.[\w-]+$/,
    scores: { ...scores, quality: Number, fraud: Number },
    failureReasons: [],
    fraudSignals: Array,
    ...flags,
    demographics: null,
    glassesDetected: null,
    duplicateMatch: null,
    priorParticipation: null,
    assuranceLevel: 'device_only',
    verificationOutcome: String,
    unifiedVerdict: { verdict: 'allow', assuranceLevel: String },
  });
  t.notOk('risk' in reply, 'the aggregator is off');
  const { metadata, studyId, respondentId } = named;
  t.match(envelope, { status: 'pass', scores, studyId, respondentId, metadata, token: reply.verificationToken });
  t.match(token, { success: true, status: 'pass', sessionId: reply.sessionId, scores, studyId, respondentId });
  t.ok(Number.isInteger(token.issuedAt) && (token.expiresAt ?? 0) > (token.issuedAt ?? 0), 'in Unix seconds');
  const [completed] = told(all, reply.sessionId);
  t.same(Object.keys(completed?.data ?? {}).sort(), [...v1Fields, ...omittedInV1].sort());
  t.match(completed, {
    event: 'verification.completed',
    data: {
      project_id: projectId,
      status: 'pass',
      scores,
      respondent_id: 'person-1',
      metadata,
      data_collector: 'field-3',
      study_id: studyId,
      link_id: null,
      mode: 'live',
    },
  });
  t.match(completed?.data, { is_duplicate: false, low_quality: Boolean, high_fraud_risk: false, demographics: null });
  const at = String(completed?.data['timestamp']);
  t.equal(new Date(at).toISOString(), at);
  for (const { data } of told(first, reply.sessionId)) t.same(Object.keys(data).sort(), v1Fields);
  t.match(told(first, reply.sessionId)[0]?.data['scores'], { liveness: null, uniqueness: null }, 'nulls on v1 too');
});

t.test('age, gender and skin are reported only of a project that asks for them, whatever the page sends', async (t) => {
  for (const asks of [false, true]) {
    await patch({ config: { demographics: asks ? true : null } });
    const session = await createSession(service, { widgetMode: 'standard' });
    const person = new Float32Array(128).fill(1);
    const measured = await measurePerson({ service, clock }, session, { person, seed: 7, random: Math.random });
    t.ok(measured.demographics, 'the page sends them');
    const { status, body } = await verify(service, session, measured);
    t.match({ status, assurance: body.assuranceLevel }, { status: 200, assurance: 'biometric' });
    t.equal(body.demographics !== null, asks, `asked for: ${asks}`);
  }
  await patch({ config: { demographics: null } });
});

t.test('each outcome fires its own events, and a new webhook hears of the terminal one alone', async (t) => {
  const fires = async (expected: readonly (readonly [string, string])[], over: object = {}): Promise<void> => {
    const { reply } = await take(over);
    for (const receiver of [all, first]) t.same(eventsOf(receiver, reply.sessionId), expected);
    t.same(eventsOf(byDefault, reply.sessionId), expected.slice(0, 1));
    for (const { headers, body } of byDefault.received)
      t.equal(headers['x-service-idempotency-key'], (JSON.parse(body) as Payload).data.session_id);
  };
  const [passed, failed] = [
    ['verification.completed', 'pass'],
    ['verification.completed', 'fail'],
  ] as const;
  await fires([passed, ['verification.passed', 'pass']]);
  await fires([failed, ['verification.failed', 'fail']], automated);
  await patch({ verificationMode: 'score' });
  await fires([passed, ['verification.scored', 'scored']]);
  await fires([failed, ['verification.scored', 'scored']], automated);
  await patch({ scoreModeConfig: { blockAboveRisk: 0 } });
  await fires([passed, ['verification.scored', 'score_blocked']]);
  await patch({ verificationMode: null, scoreModeConfig: null });
});

t.test('with the aggregator on the risk is in the answer, the envelope, the token and v2, never in v1', async (t) => {
  await patch({ config: { riskAggregator: 'on' } });
  const { reply, envelope, token } = await take(automated);
  const risk = { overall: Number, device: Number, contributions: [], droppedSignals: Array, degradedSignals: Array };
  t.match(reply, { risk, scores: { riskOverall: Number }, duplication: { matchMethod: String } });
  t.equal(envelope.scores.risk_overall, reply.scores.riskOverall);
  t.equal(token.scores?.riskOverall, reply.scores.riskOverall, 'and a backend that asks by token learns it');
  t.ok(Math.abs((reply.scores.riskOverall ?? 0) - (1 - reply.scores.overall)) < 1e-9, 'the inverse of overall');
  const [completed] = told(all, reply.sessionId);
  t.match(completed?.data, { status: 'fail', failure_category: 'fraud_signal', risk: { overall: Number } });
  t.match(completed?.data['failure_reasons'], [String]);
  t.match(completed?.data['fraud_signals'], [{ type: String, severity: String, category: String, confidence: Number }]);
  for (const { data } of told(first, reply.sessionId)) t.same(Object.keys(data).sort(), v1Fields);
  await patch({ config: { riskAggregator: null } });
});

t.test('a v1 webhook gets v1 until it is upgraded', async (t) => {
  const { status } = await call('PATCH', `${webhooks}/${legacy.webhookId}`, { payloadVersion: 'v2' });
  t.equal(status, 200);
  await waitUntil(async () => {
    const { reply } = await take();
    return 'timestamp' in (told(first, reply.sessionId)[0]?.data ?? {});
  }, 'v2 is sent');
});

t.test('an attempt that is not answered fails after ten seconds, and is repeated', async (t) => {
  const read = async () =>
    (await call<{ deliveries: DeliveryReply[] }>('GET', `${webhooks}/${slow.webhookId}/deliveries`)).body.deliveries;
  const ended = async () => (await read()).at(-1)?.attempts.find(({ attempt }) => attempt === 1);
  await waitUntil(async () => (await ended())?.state === 'FAILED', 'the first attempt ends', 40_000);
  const { durationMs, statusCode, error } = (await ended()) ?? {};
  t.ok((durationMs ?? 0) >= 9_900 && (durationMs ?? 0) < 13_000, `after ${durationMs} ms`);
  t.match({ statusCode, error }, { statusCode: null, error: /timeout/ });
});
