/**
 * Test and demo keys live in a world of their own: counters, history, receipts and outcomes apart; the page's probe is read by both.
 */
import t from 'tap';
import type { KeyRecord } from '../../src/contract/api-key.js';
import type { OutcomeReply } from '../../src/contract/outcome.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { probeExample, scoreExample } from '../../src/scoring/examples.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const service = await startTestService(t);
const { bootstrap } = service;
const occurredAt = new Date(Date.now() - 3_600_000).toISOString();

const demoKey = (
  await service.call('POST', `/public/projects/${bootstrap.projectId}/demo-key`, {
    headers: { origin: 'http://localhost:5173' },
  })
).body['apiKey'] as string;
const testKey = (
  await service.call('POST', `/projects/${bootstrap.projectId}/api-keys`, {
    body: { name: 'sandbox', isTest: true },
    headers: { 'x-api-key': bootstrap.organizationKey },
  })
).body['apiKey'] as string;

const userAgent = scoreExample.userAgent ?? '';
async function score(fields: object, key = bootstrap.projectKey): Promise<ScoreReply> {
  const body = { clientIp: '203.0.113.24', userAgent, ...fields };
  const answer = await service.call('POST', '/lite/score', { body, headers: { 'x-api-key': key } });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}
const post = (events: readonly object[], key: string): Promise<{ status: number; body: OutcomeReply }> =>
  service.call('POST', '/lite/events', { body: { events }, headers: { 'x-api-key': key } });

t.test('a device that test and demo keys made a farm of is no farm to a live key', async (t) => {
  const deviceHash = 'a'.repeat(64);
  for (const [name, key] of [
    ['test', testKey],
    ['demo', demoKey],
  ] as const) {
    for (let i = 0; i < 7; i += 1)
      await score({ sessionId: `${name}-${i}`, respondentId: `person ${name} ${i}`, deviceHash, studyId: 'farm' }, key);
    const farmed = await score(
      { sessionId: `${name}-7`, respondentId: `person ${name} 7`, deviceHash, studyId: 'farm' },
      key,
    );
    t.ok(
      farmed.evidence.against.some(({ code }) => code === 'device_farm'),
      `the ${name} key sees its own`,
    );
    t.equal(farmed.duplicate.evidence.deviceRespondentsDay, 8, 'and nothing of the other world');
  }
  const live = await score({ sessionId: 'live-0', respondentId: 'live person', deviceHash, studyId: 'farm' });
  t.match(live.duplicate, { band: 'none', evidence: { deviceRespondentsDay: 1, deviceSessionsDay: 1 } });
  t.same(live.categories.velocity, 0);
});

t.test('a project without demo keys creates none and takes none, until its setting is restored', async (t) => {
  const headers = { 'x-api-key': bootstrap.organizationKey };
  const { body } = await service.call('POST', '/projects/provision', { body: { name: 'Trials' }, headers });
  const projectId = String(body['projectId']);
  const allow = (demoKeys: boolean | null) =>
    service.call('PATCH', `/projects/${projectId}`, { body: { config: { demoKeys } }, headers });
  const mint = () =>
    service.call('POST', `/public/projects/${projectId}/demo-key`, { headers: { origin: 'http://localhost' } });
  const minted = String((await mint()).body['apiKey']);
  const scoreByIt = () =>
    service.call('POST', '/lite/score', {
      body: { sessionId: 'tried', clientIp: '203.0.113.24' },
      headers: { 'x-api-key': minted },
    });
  t.equal((await scoreByIt()).status, 200);
  await allow(false);
  t.match(await mint(), { status: 403, body: { code: 'DEMO_KEYS_OFF' } });
  t.match(await scoreByIt(), { status: 401, body: { code: 'INVALID_KEY' } });
  const { body: listed } = await service.call('GET', `/projects/${projectId}/api-keys`, { headers });
  t.match(
    (listed['apiKeys'] as KeyRecord[]).filter(({ isDemo }) => isDemo),
    [{ state: 'revoked' }],
  );
  await allow(null);
  t.equal((await scoreByIt()).status, 401, 'what ended has ended for good');
  t.equal((await mint()).status, 201);
});

t.test('a demo key cannot post outcomes, in either form', async (t) => {
  const event = { type: 'ban', occurredAt, reasonClass: 'fraud' };
  t.match(await post([{ sessionId: 'live-0', ...event }], demoKey), {
    status: 403,
    body: { code: 'INSUFFICIENT_SCOPE' },
  });
  const single = await service.call('POST', '/lite/sessions/live-0/events', {
    body: { events: [event] },
    headers: { 'x-api-key': demoKey },
  });
  t.equal(single.status, 403);
});

t.test('outcomes of a test key touch only what test keys scored', async (t) => {
  for (const key of [bootstrap.projectKey, testKey]) {
    await score({ sessionId: 'shared', respondentId: 'person', sourceId: 'competitor' }, key);
    await score({ sessionId: `other-${key}`, respondentId: 'barometer' }, key);
  }
  t.match((await post([{ sessionId: 'shared', type: 'ban', occurredAt, reasonClass: 'fraud' }], testKey)).body, {
    accepted: 1,
  });
  let n = 0;
  await waitUntil(
    async () =>
      (await score({ sessionId: `seen-${(n += 1)}`, respondentId: 'person' }, testKey)).categories.history > 0,
    'the test key sees its own outcome',
  );
  t.match(
    (
      await post(
        [{ sessionId: `other-${bootstrap.projectKey}`, type: 'ban', occurredAt, reasonClass: 'fraud' }],
        bootstrap.projectKey,
      )
    ).body,
    {
      accepted: 1,
    },
  );
  await waitUntil(
    async () => (await score({ sessionId: `seen-${(n += 1)}`, respondentId: 'barometer' })).categories.history > 0,
    'a later outcome of the live key has been carried over',
  );
  t.equal((await score({ sessionId: 'again', respondentId: 'person' })).categories.history, 0);
  t.equal((await score({ sessionId: 'again', respondentId: 'barometer' }, testKey)).categories.history, 0);
});

t.test('a probe that a test key has scored is there for the live score, unchanged', async (t) => {
  const sessionId = 'probed';
  await service.call('POST', '/public/lite/probe', {
    body: {
      ...probeExample(bootstrap.probeKey),
      sessionId,
      nonce: 'nonce-of-probed',
      ids: { token: 'token-of-probed', kept: false },
    },
    headers: { 'user-agent': userAgent },
  });
  const tested = await score({ sessionId }, testKey);
  const live = await score({ sessionId });
  t.notOk(tested.degradedSignals.includes('client_probe_missing'));
  t.notOk(live.degradedSignals.includes('client_probe_missing'));
  t.not(live.receiptId, tested.receiptId, 'the same body is no retry in another world');
  t.match(live.duplicate, { band: 'none', evidence: { deviceSessionsDay: 1 } });
});
