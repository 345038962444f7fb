import t from 'tap';
import type { EvidenceReply, ScoreReply } from '../../src/contract/score.js';
import type { VerdictEvent } from '../../src/contract/session-event.js';
import type { SessionTrailReply } from '../../src/contract/session-trail.js';
import type { CreatedWebhookReply } from '../../src/contract/webhook.js';
import { verifyWebhook } from '../../src/receiver/verify.js';
import { ownRange } from '../helpers/own-range.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const service = await startTestService(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const { projectId, organizationKey } = service.bootstrap;
const receiver = await startReceiver(t);
const webhook = (
  await service.call('POST', `/projects/${projectId}/webhooks`, {
    body: { url: receiver.url, events: ['verdict.changed'], includeTest: true },
  })
).body as CreatedWebhookReply;
const minted = await service.call('POST', `/projects/${projectId}/api-keys`, {
  body: { name: 'test', isTest: true },
  headers: { 'x-api-key': organizationKey },
});
const { apiKey: testKey } = minted.body as { readonly apiKey: string };
t.type(testKey, 'string');

const occurredAt = new Date(Date.now() - 3_600_000).toISOString();
const addressOf = ownRange();

async function score(sessionId: string, respondentId: string, key?: string, over: object = {}): Promise<ScoreReply> {
  const answer = await service.call('POST', '/lite/score', {
    body: { sessionId, respondentId, clientIp: addressOf(respondentId), studyId: sessionId, ...over },
    ...(key === undefined ? {} : { headers: { 'x-api-key': key } }),
  });
  t.equal(answer.status, 200);
  return answer.body;
}

async function post(events: readonly object[], key?: string): Promise<void> {
  const answer = await service.call('POST', '/lite/events', {
    body: { events },
    ...(key === undefined ? {} : { headers: { 'x-api-key': key } }),
  });
  t.match(answer, { status: 200, body: { rejected: 0 } });
}
const fraud = (sessionId: string) => ({ sessionId, type: 'buyer_reject', occurredAt, reasonClass: 'fraud' });

interface Change {
  readonly event: string;
  readonly data: VerdictEvent['data'] & { readonly session_id: string; readonly project_id: string };
}
const changes = (): readonly Change[] => receiver.received.map(({ body }) => JSON.parse(body) as Change);
const changesOf = (sessionId: string): readonly Change[] =>
  changes().filter(({ data }) => data.session_id === sessionId);
const told = (sessionId: string, count: number): Promise<void> =>
  waitUntil(() => changesOf(sessionId).length >= count, `${count} changes of ${sessionId}`);

async function recorded(sessionId: string, receipts = 1): Promise<SessionTrailReply> {
  const read = async (): Promise<SessionTrailReply> => (await service.call('GET', `/lite/sessions/${sessionId}`)).body;
  await waitUntil(async () => (await read()).receipts.length >= receipts, `${receipts} receipts of ${sessionId}`);
  return read();
}

/** A change that comes later than all that was posted before: once it is told, nothing more comes of those. */
let settled = 0;
async function settle(): Promise<void> {
  const name = `settled-${(settled += 1)}`;
  await score(`${name}-a`, name);
  await score(`${name}-b`, name);
  await recorded(`${name}-a`);
  await recorded(`${name}-b`);
  await post([fraud(`${name}-a`)]);
  await told(`${name}-b`, 1);
}

const setDays = async (verdictChangedDays: number): Promise<void> => {
  const answer = await service.call('PATCH', `/projects/${projectId}`, {
    body: { config: { verdictChangedDays } },
    headers: { 'x-api-key': organizationKey },
  });
  t.equal(answer.status, 200);
};

t.test('nothing is told unless the project asked for it before the score', async (t) => {
  await score('early-a', 'early');
  await score('early-b', 'early');
  await recorded('early-a');
  await recorded('early-b');
  await setDays(30);
  await post([fraud('early-a')]);
  await settle();
  t.same([...changesOf('early-a'), ...changesOf('early-b')], []);
});

t.test(
  'an outcome of a respondent changes what his other sessions are worth, once, and taken back the other way',
  async (t) => {
    const first = await score('one-a', 'one');
    const other = await score('one-b', 'one');
    await recorded('one-a');
    await recorded('one-b');
    t.equal(other.recommendation === 'block', false);
    await post([{ ...fraud('one-a'), eventId: 'one' }]);
    await told('one-b', 1);
    const [change] = changesOf('one-b');
    if (change === undefined) throw new Error('no change');
    const { receipt_id: receiptId, ...data } = change.data;
    t.equal(change.event, 'verdict.changed');
    t.match(data, {
      project_id: projectId,
      supersedes: other.receiptId,
      from: { score: other.score, recommendation: other.recommendation },
      to: { score: Number, recommendation: /review|block/ },
      reasons: Array,
      timestamp: /Z$/,
    });
    t.ok(data.reasons.includes('confirmed_clawback'), `the reason is named: ${data.reasons.join()}`);
    for (const { headers, body } of receiver.received)
      t.ok(verifyWebhook({ headers, body, secret: webhook.secret }).valid, 'signed with the webhook’s secret');

    const evidence = await service.call('GET', `/lite/score/${receiptId}/evidence`);
    t.match(evidence, { status: 200 });
    t.match((evidence.body as EvidenceReply).verdict, { score: data.to.score, recommendation: data.to.recommendation });
    const trail = await recorded('one-b', 2);
    t.same(
      trail.receipts.map(({ receiptId: id, supersedes }) => [id, supersedes]),
      [
        [receiptId, other.receiptId],
        [other.receiptId, null],
      ],
      'the trail of the session has the receipt',
    );

    await post([{ ...fraud('one-a'), eventId: 'one' }]);
    await settle();
    t.equal(changesOf('one-b').length, 1, 'the same outcome twice tells nothing twice');
    t.same(changesOf('one-a'), [], 'nor is the reported session told of its own outcome');
    t.equal((await recorded('one-a')).receipts[0]?.receiptId, first.receiptId);

    await post([{ sessionId: 'one-a', type: 'complete', occurredAt, eventId: 'one' }]);
    await told('one-b', 2);
    t.match(changesOf('one-b')[1]?.data, {
      supersedes: receiptId,
      from: data.to,
      to: { recommendation: other.recommendation },
    });
  },
);

t.test('a later call that says something else is told with the receipt that it got', async (t) => {
  const before = await score('two', 'two');
  await recorded('two');
  const later = await score('two', 'two', undefined, { userAgent: 'python-requests/2.31', country: 'BR' });
  const isMoved = later.recommendation !== before.recommendation || Math.abs(later.score - before.score) >= 10;
  t.ok(isMoved, `${before.score} ${before.recommendation} became ${later.score} ${later.recommendation}`);
  await told('two', 1);
  t.match(changesOf('two')[0]?.data, {
    receipt_id: later.receiptId,
    supersedes: before.receiptId,
    from: { score: before.score, recommendation: before.recommendation },
    to: { score: later.score, recommendation: later.recommendation },
  });
  await settle();
  t.equal(changesOf('two').length, 1);
});

t.test('test keys’ sessions change nothing, and are told nothing', async (t) => {
  await score('three-a', 'three', testKey);
  await score('three-b', 'three', testKey);
  await score('three-live', 'three');
  await recorded('three-live');
  await post([fraud('three-a')], testKey);
  await settle();
  for (const sessionId of ['three-a', 'three-b', 'three-live']) t.same(changesOf(sessionId), []);
});
