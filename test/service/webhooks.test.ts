import { createHmac } from 'node:crypto';
import t from 'tap';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import type { CreatedWebhookReply, DeliveryReply, WebhookReply } from '../../src/contract/webhook.js';
import { verifyWebhook } from '../../src/receiver/verify.js';
import { deliveryIdOf } from '../../src/webhooks/delivery-store.js';
import { startReceiver, type Received, type Receiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { pollUntil, waitUntil } from '../helpers/wait-until.js';

const service = await startTestService(t, {
  VH_WEBHOOK_ALLOW_PRIVATE: 'on',
  VH_WEBHOOK_BACKOFF_SECONDS: '0.05,0.05,0.05,0.05',
});
const { bootstrap } = service;
const path = `/projects/${bootstrap.projectId}/webhooks`;

const call = async <T>(method: string, at: string, body?: unknown): Promise<{ status: number; body: T }> =>
  service.call(method, at, body === undefined ? {} : { body });
/** Deletes it as clients do that declare JSON on every request. */
const remove = (webhookId: string) =>
  service.call('DELETE', `${path}/${webhookId}`, {
    headers: { 'x-api-key': bootstrap.projectKey, 'content-type': 'application/json' },
  });
const register = async (fields: object): Promise<CreatedWebhookReply> => {
  const answer = await call<CreatedWebhookReply>('POST', path, fields);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
};
const deliveriesOf = async (webhookId: string, query = ''): Promise<readonly DeliveryReply[]> =>
  (await call<{ deliveries: DeliveryReply[] }>('GET', `${path}/${webhookId}/deliveries${query}`)).body.deliveries;
const test = async (webhookId: string): Promise<string> =>
  (await call<{ deliveryId: string }>('POST', `${path}/${webhookId}/test`)).body.deliveryId;
/** Sends a test delivery; answers what arrived of it. */
const testAndReceive = async (receiver: Receiver, webhookId: string): Promise<Received> => {
  const deliveryId = await test(webhookId);
  const eventOf = ({ headers }: Received): string => String(headers['webhook-id']).slice(0, -webhookId.length - 1);
  return pollUntil('it arrives', () =>
    receiver.received.find((received) => deliveryIdOf(eventOf(received), webhookId) === deliveryId),
  );
};

t.test('a webhook is made with defaults and its secret shown once, read, changed and deleted', async (t) => {
  const made = await register({ url: 'http://127.0.0.1:9/x' });
  t.match(made, {
    webhookId: /^whk_/,
    events: ['verification.completed'],
    payloadVersion: 'v2',
    description: null,
    enabled: true,
    health: { state: 'working', reason: null },
    secret: /^[0-9a-f]{64}$/,
  });
  const read = await call<WebhookReply>('GET', `${path}/${made.webhookId}`);
  const { secret: _secret, ...shown } = made;
  t.same(read.body, shown, 'the secret is in the first answer only');
  const changed = await call<WebhookReply>('PATCH', `${path}/${made.webhookId}`, {
    events: ['verification.failed'],
    payloadVersion: 'v1',
    enabled: false,
  });
  t.match(changed.body, { events: ['verification.failed'], payloadVersion: 'v1', enabled: false });
  t.equal(changed.body.health.state, 'disabled');
  const back = await call<WebhookReply>('PATCH', `${path}/${made.webhookId}`, { events: null, payloadVersion: null });
  t.match(back.body, { events: ['verification.completed'], payloadVersion: 'v2', enabled: false }, 'null: the default');
  t.equal((await call('POST', `${path}/${made.webhookId}/test`)).status, 409, 'nothing is sent to a disabled one');
  t.equal((await remove(made.webhookId)).status, 200, 'also with the content type of JSON and no body');
  t.equal((await call('GET', `${path}/${made.webhookId}`)).status, 404);
  t.equal((await call('GET', `${path}/${made.webhookId}/deliveries`)).status, 404);
});

t.test('what is wrong with a registration is told', async (t) => {
  for (const [body, pointer] of [
    [{}, '/url'],
    [{ url: 'not a url' }, '/url'],
    [{ url: 'ftp://example.com/' }, '/url'],
    [{ url: 'https://user:password@example.com/' }, '/url'],
    [{ url: 'https://example.com/', events: [] }, '/events'],
    [{ url: 'https://example.com/', events: ['verification.complete'] }, '/events/0'],
    [{ url: 'https://example.com/', payloadVersion: 'v3' }, '/payloadVersion'],
  ] as const) {
    const answer = await call<{ code: string; issues: { path: string }[] }>('POST', path, body);
    t.equal(answer.status, 400, JSON.stringify(body));
    t.equal(answer.body.code, 'VALIDATION_FAILED');
    t.equal(answer.body.issues[0]?.path, pointer, JSON.stringify(answer.body));
  }
  const made = await register({ url: 'http://127.0.0.1:9/x' });
  t.equal((await call('PATCH', `${path}/${made.webhookId}`, { url: null })).status, 400);
  t.equal((await call('PATCH', `${path}/${made.webhookId}`, { url: 'gopher://x' })).status, 400);
});

t.test('a test delivery arrives with the headers of the contract, signed, and stands in the log', async (t) => {
  const receiver = await startReceiver(t);
  const made = await register({ url: `${receiver.url}/hook?tenant=7`, events: ['question.flagged'] });
  const beforeMs = Date.now();
  const deliveryId = await test(made.webhookId);
  await waitUntil(() => receiver.received.length === 1, 'it arrives');
  const [first] = receiver.received;
  const header = (name: string): string => String(first?.headers[name]);
  const payload = JSON.parse(first?.body ?? '') as { event: string; data: Record<string, unknown> };
  t.equal(first?.path, '/hook?tenant=7');
  t.equal(header('content-type'), 'application/json');
  t.equal(header('x-service-event'), 'verification.completed');
  t.equal(header('x-service-attempt'), '1');
  t.equal(header('x-service-idempotency-key'), payload.data['session_id']);
  const signed = `${header('x-service-timestamp')}.${first?.body}`;
  t.equal(header('x-service-signature'), `sha256=${createHmac('sha256', made.secret).update(signed).digest('hex')}`);
  const sentAt = Number(header('x-service-timestamp'));
  t.ok(Math.floor(beforeMs / 1_000) <= sentAt && sentAt <= Math.ceil(Date.now() / 1_000));
  const standard = `${header('webhook-id')}.${header('webhook-timestamp')}.${first?.body}`;
  t.equal(header('webhook-signature'), `v1,${createHmac('sha256', made.secret).update(standard).digest('base64')}`);
  t.equal(payload.event, 'verification.completed');
  t.match(payload.data, { status: 'pass', mode: 'test', is_demo: true }, 'it cannot be taken for a live pass');
  await waitUntil(async () => (await deliveriesOf(made.webhookId))[0]?.state === 'SUCCEEDED', 'the result is written');
  const [delivery] = await deliveriesOf(made.webhookId);
  t.match(delivery, {
    deliveryId,
    event: 'verification.completed',
    sessionId: payload.data['session_id'],
    state: 'SUCCEEDED',
    nextAttemptAt: null,
    attempts: [{ attempt: 1, state: 'SUCCEEDED', statusCode: 200, responseBody: 'ok', error: null }],
  });
});

t.test('a new secret signs from the next delivery on; the old one only where an overlap was asked for', async (t) => {
  const receiver = await startReceiver(t);
  const made = await register({ url: receiver.url });
  const rotate = async (body?: object) =>
    (await call<{ secret: string }>('POST', `${path}/${made.webhookId}/rotate-secret`, body)).body.secret;
  const misspelt = await call('POST', `${path}/${made.webhookId}/rotate-secret`, { overlapHour: 1 });
  t.match(misspelt, { status: 400, body: { message: /did you mean "overlapHours"/ } }, 'it would lose the old one');
  const second = await rotate();
  await test(made.webhookId);
  const third = await rotate({ overlapHours: 1 });
  await waitUntil(() => receiver.received.length >= 1, 'the first arrives');
  // A delivery on its way when the secret changed may carry the old one; a delivery made afterwards never does, a second later.
  const last = await pollUntil('the new secret is in force', async () => {
    const sent = await testAndReceive(receiver, made.webhookId);
    const signed = `${String(sent.headers['x-service-timestamp'])}.${sent.body}`;
    const isNew =
      sent.headers['x-service-signature'] === `sha256=${createHmac('sha256', third).update(signed).digest('hex')}`;
    return isNew ? sent : undefined;
  });
  const content = `${String(last.headers['webhook-id'])}.${String(last.headers['webhook-timestamp'])}.${last.body}`;
  t.same(
    String(last.headers['webhook-signature']).split(' '),
    [third, second].map((secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`),
  );
  for (const secret of [second, third])
    t.equal(verifyWebhook({ secret, headers: last.headers, body: last.body }).valid, true, 'no receiver loses it');
  t.match(verifyWebhook({ secret: made.secret, headers: last.headers, body: last.body }), {
    reason: 'WRONG_SIGNATURE',
  });
});

t.test('on the instance that rotates, nothing sent afterwards carries the old secret', async (t) => {
  const receiver = await startReceiver(t);
  const made = await register({ url: receiver.url });
  for (let turn = 0; turn < 5; turn += 1) {
    await testAndReceive(receiver, made.webhookId);
    const { body } = await call<{ secret: string }>('POST', `${path}/${made.webhookId}/rotate-secret`);
    const last = await testAndReceive(receiver, made.webhookId);
    const signed = `${String(last.headers['x-service-timestamp'])}.${last.body}`;
    t.equal(
      last.headers['x-service-signature'],
      `sha256=${createHmac('sha256', body.secret).update(signed).digest('hex')}`,
      'by the new secret at once',
    );
  }
  const elsewhere = await startReceiver(t);
  await call('PATCH', `${path}/${made.webhookId}`, { url: elsewhere.url });
  await test(made.webhookId);
  await waitUntil(() => elsewhere.received.length === 1, 'a new address is in force as soon');
});

t.test('a failing endpoint gets five attempts; its owner sees each, with what to do, and replays', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer((_received, response) => void response.writeHead(503).end('down for maintenance'));
  const made = await register({ url: receiver.url });
  const deliveryId = await test(made.webhookId);
  await waitUntil(async () => (await deliveriesOf(made.webhookId))[0]?.state === 'EXHAUSTED', 'it is exhausted');
  const [delivery] = await deliveriesOf(made.webhookId);
  t.same(
    delivery?.attempts.map(({ attempt, state, statusCode }) => [attempt, state, statusCode]),
    [
      [5, 'EXHAUSTED', 503],
      [4, 'FAILED', 503],
      [3, 'FAILED', 503],
      [2, 'FAILED', 503],
      [1, 'FAILED', 503],
    ],
  );
  t.match(delivery?.attempts[0], { responseBody: 'down for maintenance', error: /receiver failed/ });
  t.same(
    receiver.received.map(({ headers }) => headers['x-service-attempt']),
    ['1', '2', '3', '4', '5'],
  );
  t.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1, 'one message, five times');

  receiver.answer((_received, response) => void response.writeHead(204).end());
  t.equal((await call('POST', `${path}/${made.webhookId}/deliveries/${deliveryId}/replay`)).status, 200);
  await waitUntil(async () => (await deliveriesOf(made.webhookId))[0]?.state === 'SUCCEEDED', 'the replay succeeds');
  t.match((await deliveriesOf(made.webhookId))[0]?.attempts[0], { attempt: 6, state: 'SUCCEEDED', statusCode: 204 });
  t.equal((await call('POST', `${path}/${made.webhookId}/deliveries/dlv_nothing/replay`)).status, 404);
});

t.test('recover sends again what failed for good since a time, and nothing else', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer((_received, response) => void response.writeHead(400).end());
  const made = await register({ url: receiver.url });
  const since = new Date().toISOString();
  await test(made.webhookId);
  await test(made.webhookId);
  await waitUntil(
    async () => (await deliveriesOf(made.webhookId, '?state=EXHAUSTED')).length === 2,
    'both fail at once: 400 is terminal',
  );
  receiver.answer((_received, response) => void response.writeHead(200).end());
  await test(made.webhookId);
  await waitUntil(async () => (await deliveriesOf(made.webhookId, '?state=SUCCEEDED')).length === 1, 'one succeeds');
  const recover = async (body: object) => call<{ requeued: number }>('POST', `${path}/${made.webhookId}/recover`, body);
  t.equal((await recover({ since: '2020-01-01T00:00:00Z', until: since })).body.requeued, 0, 'none is that old');
  t.equal((await recover({ since, until: since })).status, 400);
  t.equal((await recover({ since })).body.requeued, 2);
  await waitUntil(async () => (await deliveriesOf(made.webhookId, '?state=SUCCEEDED')).length === 3, 'all succeed');
  t.equal(receiver.received.length, 5);
});

t.test('a webhook is failing while a delivery is exhausted, until that is sent again', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer((_received, response) => response.writeHead(410).end());
  const made = await register({ url: receiver.url });
  const healthOf = async () => {
    const { body } = await call<{ webhooks: WebhookReply[] }>('GET', path);
    const listed = body.webhooks.find(({ webhookId }) => webhookId === made.webhookId)?.health;
    t.same((await call<WebhookReply>('GET', `${path}/${made.webhookId}`)).body.health, listed, 'as in the list');
    return listed;
  };
  const exhausted = async (count: number) =>
    waitUntil(
      async () => (await deliveriesOf(made.webhookId, '?state=EXHAUSTED')).length === count,
      `${count} are exhausted`,
    );
  await test(made.webhookId);
  await exhausted(1);
  t.match(await healthOf(), {
    state: 'failing',
    reason: '1 event was not delivered and is not tried again. Repair the server, then send it again.',
    since: /^\d{4}-/,
    nextTryAt: null,
  });
  await test(made.webhookId);
  await exhausted(2);
  const { reason } = (await call<WebhookReply>('PATCH', `${path}/${made.webhookId}`, { description: 'Billing' })).body
    .health;
  t.equal(reason, '2 events were not delivered and are not tried again. Repair the server, then send them again.');
  receiver.answer((_received, response) => response.writeHead(200).end());
  await test(made.webhookId);
  await waitUntil(async () => (await deliveriesOf(made.webhookId, '?state=SUCCEEDED')).length === 1, 'one arrives');
  t.match(await healthOf(), { state: 'failing' }, 'a success does not bring back what was missed');
  await call('POST', `${path}/${made.webhookId}/recover`, { since: new Date(Date.now() - 60_000).toISOString() });
  await waitUntil(async () => (await deliveriesOf(made.webhookId, '?state=SUCCEEDED')).length === 3, 'all arrive');
  t.same(await healthOf(), { state: 'working', reason: null, since: null, nextTryAt: null });
});

t.test('a delivery that failed and waits is FAILED, shows what was sent, and recover sends it at once', async (t) => {
  const slow = await startTestService(t, {
    VH_WEBHOOK_ALLOW_PRIVATE: 'on',
    VH_WEBHOOK_BACKOFF_SECONDS: '600,600,600,600',
  });
  const at = `/projects/${slow.bootstrap.projectId}/webhooks`;
  const receiver = await startReceiver(t);
  receiver.answer((_received, response) => void response.writeHead(503).end());
  const { webhookId } = (await slow.call('POST', at, { body: { url: receiver.url } })).body as CreatedWebhookReply;
  const since = new Date().toISOString();
  const listed = async (state: string): Promise<readonly DeliveryReply[]> =>
    ((await slow.call('GET', `${at}/${webhookId}/deliveries?state=${state}`)).body as { deliveries: DeliveryReply[] })
      .deliveries;
  await slow.call('POST', `${at}/${webhookId}/test`);
  await waitUntil(async () => (await listed('FAILED')).length === 1, 'it failed and waits');
  const [waiting] = await listed('FAILED');
  t.equal(waiting?.state, 'FAILED');
  t.type(waiting?.nextAttemptAt, 'string');
  t.same(await listed('PENDING'), []);
  t.same(
    (waiting as { payload?: unknown } | undefined)?.payload,
    JSON.parse(receiver.received[0]?.body ?? ''),
    'what was sent',
  );
  receiver.answer((_received, response) => void response.writeHead(200).end());
  const recover = () => slow.call('POST', `${at}/${webhookId}/recover`, { body: { since } });
  t.match((await recover()).body, { requeued: 1 });
  await waitUntil(async () => (await listed('SUCCEEDED')).length === 1, 'it arrives without its wait');
  t.match((await recover()).body, { requeued: 0 });
});

t.test('a test delivery and a replay take an empty body, with the content type of JSON too', async (t) => {
  const receiver = await startReceiver(t);
  const { webhookId } = await register({ url: receiver.url });
  const headers = { 'x-api-key': bootstrap.projectKey, 'content-type': 'application/json' };
  const send = (at: string) =>
    fetch(`${bootstrap.siteUrl}/api/v1${path}/${webhookId}/${at}`, { method: 'POST', headers });
  const tested = await send('test');
  t.equal(tested.status, 200);
  const { deliveryId } = (await tested.json()) as { deliveryId: string };
  await waitUntil(async () => (await deliveriesOf(webhookId, '?state=SUCCEEDED')).length === 1, 'it arrives');
  t.equal((await send(`deliveries/${deliveryId}/replay`)).status, 200);
  t.equal((await send('recover')).status, 400, 'which needs a body');
});

t.test('recover goes by when a delivery failed, and not by when its event was', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer((_received, response) => void response.writeHead(400).end());
  const made = await register({ url: receiver.url });
  const begun = new Date().toISOString();
  await test(made.webhookId);
  const exhausted = () => deliveriesOf(made.webhookId, '?state=EXHAUSTED');
  await waitUntil(async () => (await exhausted()).length === 1, 'it fails for good');
  const between = new Date().toISOString();
  const [failed] = await exhausted();
  await call('POST', `${path}/${made.webhookId}/deliveries/${failed?.deliveryId}/replay`);
  await waitUntil(async () => receiver.received.length === 2 && (await exhausted()).length === 1, 'it fails once more');
  const recover = async (body: object) => call<{ requeued: number }>('POST', `${path}/${made.webhookId}/recover`, body);
  t.equal(
    (await recover({ since: begun, until: between })).body.requeued,
    0,
    'the event was then, the failure is later',
  );
  t.equal((await recover({ since: between })).body.requeued, 1);
});

t.test('the log is filtered and comes in pages', async (t) => {
  const receiver = await startReceiver(t);
  const made = await register({ url: receiver.url });
  for (let n = 0; n < 5; n++) await test(made.webhookId);
  await waitUntil(async () => (await deliveriesOf(made.webhookId, '?state=SUCCEEDED')).length === 5, 'all arrive');
  const all = await deliveriesOf(made.webhookId);
  type Page = { deliveries: DeliveryReply[]; nextCursor: string | null };
  const first = (await call<Page>('GET', `${path}/${made.webhookId}/deliveries?limit=3`)).body;
  const second = (await call<Page>('GET', `${path}/${made.webhookId}/deliveries?limit=3&cursor=${first.nextCursor}`))
    .body;
  t.same([...first.deliveries, ...second.deliveries], all);
  t.equal(second.nextCursor, null);
  const wanted = all[2]?.sessionId ?? '';
  t.same(
    (await deliveriesOf(made.webhookId, `?sessionId=${wanted}`)).map(({ sessionId }) => sessionId),
    [wanted],
  );
  t.same(await deliveriesOf(made.webhookId, '?event=monitoring.flagged'), []);
  t.same(await deliveriesOf(made.webhookId, '?state=PENDING'), []);
  t.equal((await call('GET', `${path}/${made.webhookId}/deliveries?state=LOST`)).status, 400);
});

t.test('fifty webhooks are the most of a project', async (t) => {
  const list = (await call<{ webhooks: WebhookReply[] }>('GET', `${path}?limit=200`)).body.webhooks;
  for (let n = list.length; n < 50; n++) await register({ url: 'http://127.0.0.1:9/x' });
  const refused = await call<{ code: string }>('POST', path, { url: 'http://127.0.0.1:9/x' });
  t.match(refused, { status: 409, body: { code: 'CONFLICT' } });
});

t.test('what owners do is in the audit trail, and no secret is', async (t) => {
  const token = await issueDashboardToken(loadMasterKey(service.dataDirectory), {
    organizationId: bootstrap.organizationId,
    role: 'owner',
    lifetimeSeconds: 60,
  });
  const answer: { status: number; body: { entries: { action: string }[] } } = await service.call(
    'GET',
    `/organizations/${bootstrap.organizationId}/audit?limit=200`,
    { headers: { authorization: `Bearer ${token}` } },
  );
  const actions = new Set(answer.body.entries.map(({ action }) => action));
  for (const action of ['created', 'updated', 'deleted', 'secret_rotated', 'tested', 'delivery_replayed', 'recovered'])
    t.ok(actions.has(`webhook.${action}`), action);
  t.notMatch(JSON.stringify(answer.body), /[0-9a-f]{64}/);
});
