/** Postbacks over HTTP, to a receiver that fails at first, from a process that is killed in between. */
import { createHmac } from 'node:crypto';
import t from 'tap';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import type { Bootstrap } from '../../src/projects/operator/bootstrap.js';
import type { CreatedStudyReply } from '../../src/contract/study-replies.js';
import type { PostbackHealthPage } from '../../src/contract/postback-health.js';
import type { CreatedSupplierReply } from '../../src/contract/supplier.js';
import type { DeliveryReply } from '../../src/contract/webhook.js';
import { verifyWebhook } from '../../src/receiver/verify.js';
import { migratedDirectory } from '../helpers/embedded.js';
import { callerOf, creation, inviteOne, openEntry, placeAt, startSurvey, type Call } from '../helpers/fielding.js';
import { startProcess } from '../helpers/process.js';
import { startReceiver, type Received } from '../helpers/receiver.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(240_000);
const environment = {
  VH_DATA_DIR: await migratedDirectory(t),
  VH_WEBHOOK_ALLOW_PRIVATE: 'on',
  VH_WEBHOOK_BACKOFF_SECONDS: '0.5,0.5,30,30',
};
const receiver = await startReceiver(t);
const survey = await startSurvey(t, () => null);
const first = startProcess(t, environment);
let bootstrap: Bootstrap = await first.ready();
const call: Call = (...args) => callerOf(bootstrap.audienceUrl, bootstrap.organizationKey)(...args);

const address = `${receiver.url}/pb?rid={rid}&s={status}&p={place}&y={study}&sig={sig}`;
const supplier = (await call('POST', '/suppliers', { name: 'P', sourceId: 'p', postbackUrl: address }))
  .body as CreatedSupplierReply;
const path = `/suppliers/${supplier.supplierId}`;
const postbacks = async (query = ''): Promise<readonly DeliveryReply[]> =>
  ((await call('GET', `${path}/deliveries${query}`)).body as { deliveries: DeliveryReply[] }).deliveries;
const postbackOf = async (place: string) => (await postbacks()).find(({ sessionId }) => sessionId === place);
const study = (
  await call(
    'POST',
    '/studies',
    creation(survey.url, {
      audience: { countries: ['DE'], language: 'en', sample_size: 5, suppliers: [supplier.supplierId] },
    }),
  )
).body as CreatedStudyReply;
await call('POST', `/studies/${study.studyId}/launch`);
const invite = (respondent: Parameters<typeof inviteOne>[3]): Promise<string> =>
  inviteOne(call, study, supplier.supplierId, respondent);
const isSigned = ({ headers, body }: Received, secret = supplier.entrySecret): boolean =>
  verifyWebhook({ headers, body, secret }).valid;
let place = '';
const working = { state: 'working', reason: null, since: null, nextTryAt: null };
const restart = (): Promise<Bootstrap> => startProcess(t, environment).ready();

t.test('a postback that fails is tried again, also by the process after one that was killed', async (t) => {
  receiver.answer((_received, response) => void response.writeHead(500).end('not now'));
  const { location } = await openEntry(await invite({ rid: 'r&1', country: 'DE' }));
  place = placeAt(location);
  await call('POST', `/studies/${study.studyId}/returns`, { place, status: 'complete' }, study.surveyKey);
  await openEntry(await invite({ rid: 'abroad', country: 'FR' }));
  const hasFailed = ({ attempts }: DeliveryReply): boolean => attempts.length === 4;
  await waitUntil(
    async () => (await postbacks('?state=FAILED')).filter(hasFailed).length === 2,
    'three attempts failed',
  );
  const shown = { supplierId: supplier.supplierId, name: 'P', sourceId: 'p' };
  t.same((await call('GET', '/postbacks')).body, {
    suppliers: [{ ...shown, postbacks: { retrying: 2, exhausted: 0, health: working } }],
    nextCursor: null,
  });
  t.equal(await first.end('SIGKILL'), 'SIGKILL');
  receiver.answer((_received, response) => void response.writeHead(200).end('ok'));
  bootstrap = await restart();
  const failing = await postbackOf(place);
  t.match(await call('POST', `${path}/deliveries/${failing?.deliveryId}/replay`), { status: 200 }, 'not in 30 s, now');
  await waitUntil(async () => (await postbacks('?state=SUCCEEDED')).length === 1, 'the postback arrived');
  t.equal((await postbacks()).length, 2, 'each status is sent once');
  const delivery = await postbackOf(place);
  t.match(delivery, { event: 'place.ended', sessionId: place, state: 'SUCCEEDED' });
  t.same(
    delivery?.attempts.map(({ state, statusCode }) => [state, statusCode]),
    [['SUCCEEDED', 200], ...Array.from({ length: 3 }, () => ['FAILED', 500])],
  );
});

t.test('it is signed as a webhook is, names its place, and fills in the address', async (t) => {
  const sent = receiver.received.filter(({ body }) => body.includes(place));
  t.equal(sent.length, 4);
  for (const received of sent) {
    t.ok(isSigned(received));
    t.notOk(isSigned(received, 'f'.repeat(64)));
    const data = {
      study_id: study.studyId,
      place_id: place,
      rid: 'r&1',
      status: 'complete',
      entry: 'signed',
      timestamp: /Z$/,
    };
    t.match(JSON.parse(received.body), { event: 'place.ended', data });
    const lines = ['vh-exit-1', study.studyId, place, 'r&1', 'complete'].join('\n');
    const sig = createHmac('sha256', supplier.entrySecret).update(lines).digest('base64url');
    t.equal(received.path, `/pb?rid=r%261&s=complete&p=${place}&y=${study.studyId}&sig=${sig}`);
  }
  t.equal(new Set(sent.map(({ headers }) => headers['webhook-id'])).size, 1, 'one id for all attempts');
});

t.test('all that failed in a period are sent again at once, which the audit trail records', async (t) => {
  receiver.answer((_received, response) => void response.writeHead(200).end('ok'));
  const recover = (since: string) => call('POST', `${path}/recover`, { since });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  t.match(await recover(new Date(Date.now() + 3_600_000).toISOString()), { status: 400 });
  t.same((await recover(since)).body, { requeued: 1 }, 'the one that waits for its next attempt');
  await waitUntil(async () => (await postbacks('?state=SUCCEEDED')).length === 2, 'both have arrived');
  t.same((await recover(since)).body, { requeued: 0 });
  const known = (await call('GET', `/postbacks?supplierId=${supplier.supplierId}`)).body as PostbackHealthPage;
  t.match(known.suppliers, [{ postbacks: { retrying: 0, exhausted: 0 } }]);
  t.equal((await call('GET', '/postbacks?supplierId=sup_none')).status, 404);
  const { organizationId } = bootstrap;
  const masterKey = loadMasterKey(environment.VH_DATA_DIR);
  const token = await issueDashboardToken(masterKey, { organizationId, role: 'admin', lifetimeSeconds: 600 });
  const audit = await fetch(
    `${bootstrap.baseUrl}/organizations/${organizationId}/audit?action=supplier.postbacks_recovered`,
    { headers: { authorization: `Bearer ${token}` } },
  );
  t.match(await audit.json(), { entries: [{ detail: { requeued: 0 } }, { detail: { requeued: 1, since } }] });
});

t.test('every end is sent; a new address and a new secret are in force for what still waits', async (t) => {
  const { entrySecret } = (await call('POST', `${path}/rotate-secret`, { overlapHours: 0 })).body as {
    readonly entrySecret: string;
  };
  await call('PATCH', path, { postbackUrl: `${receiver.url}/new` });
  const waiting = (await postbacks()).find(({ sessionId }) => sessionId !== place);
  t.equal((await call('POST', `${path}/deliveries/${waiting?.deliveryId}/replay`)).status, 200);
  await waitUntil(() => receiver.received.some((received) => received.path === '/new'), 'the second postback');
  const sent = receiver.received.find((received) => received.path === '/new');
  t.match(sent, { path: '/new', body: /"rid":"abroad","status":"screened_out"/ });
  t.ok(sent !== undefined && isSigned(sent, entrySecret));
  t.equal((await call('POST', `${path}/deliveries/dlv_none/replay`)).status, 404);
});

t.test(
  'no list of webhooks shows it, an erased respondent is gone from it, and without an address nothing is sent',
  async (t) => {
    const api = async (method: string, at: string) =>
      (await fetch(bootstrap.baseUrl + at, { method, headers: { 'x-api-key': bootstrap.organizationKey } })).text();
    const project = `/projects/${bootstrap.projectId}`;
    t.same(JSON.parse(await api('GET', `${project}/webhooks`)), { webhooks: [], nextCursor: null });
    t.match(JSON.parse(await api('DELETE', `${project}/respondents/${encodeURIComponent('r&1')}`)), { erased: {} });
    await api('DELETE', `${project}/respondents/abroad`);
    t.same(await postbacks(), [], 'neither of who completed, nor of who was never scored');
    t.match(await call('PATCH', path, { postbackUrl: null }), { status: 200 });
    t.equal((await call('POST', `${path}/deliveries/dlv_none/replay`)).status, 409);
  },
);
