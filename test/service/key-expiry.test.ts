/** A key comes to its end while the service runs: by a clock that is moved. */
import t from 'tap';
import type { KeyRecord, MintedKeyReply } from '../../src/contract/api-key.js';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import { keyHeaders } from '../helpers/organizations.js';
import { startTestService } from '../helpers/service.js';

const dayMs = 86_400_000;
let aheadMs = 0;
const service = await startTestService(t, {}, { now: () => Date.now() + aheadMs });
const { organizationId, projectId } = service.bootstrap;
const token = await issueDashboardToken(loadMasterKey(service.dataDirectory), {
  ...{ organizationId, role: 'owner', lifetimeSeconds: 600 },
});
const headers = { authorization: `Bearer ${token}` };
const path = `/projects/${projectId}/api-keys`;
const mint = async (body: object): Promise<MintedKeyReply> =>
  (await service.call('POST', path, { body, headers })).body;
const call = (apiKey: string, method = 'GET', at = '/api-keys/current', body?: object) =>
  service.call(method, at, {
    headers: { ...keyHeaders(apiKey), 'x-request-id': 'same' },
    ...(body === undefined ? {} : { body }),
  });

t.test('a key that expires answers as one that never was, from that moment, wherever it is used', async (t) => {
  const made = await mint({ expiresInDays: 1 });
  const lasting = await mint({});
  aheadMs = dayMs - 60_000;
  t.equal((await call(made.apiKey)).status, 200, 'a minute before, and cached');
  aheadMs = dayMs + 1_000;
  const garbage = await call('vf_live_garbage');
  const expired = await call(made.apiKey);
  t.equal(expired.status, 401);
  t.same(expired.body, garbage.body, 'no hint that it ever existed');
  t.match(expired.body, { code: 'INVALID_KEY' });
  const score = { sessionId: 's', clientIp: '203.0.113.9' };
  for (const [at, body] of [
    ['/lite/score', score],
    ['/token/verify', { token: 'x' }],
    ['/sessions', {}],
  ] as const)
    t.match(await call(made.apiKey, 'POST', at, body), { status: 401, body: { code: 'INVALID_KEY' } }, at);
  t.equal((await call(lasting.apiKey)).status, 200, 'one without an expiry goes on');
  const { apiKeys }: { apiKeys: KeyRecord[] } = (await service.call('GET', path, { headers })).body;
  t.match(
    apiKeys.find(({ keyId }) => keyId === made.keyId),
    { state: 'expired', expiresAt: made.expiresAt },
  );
  t.equal((await service.call('POST', `${path}/${made.keyId}/rotate`, { headers })).status, 404, 'nothing to rotate');
  t.equal((await call(made.apiKey, 'POST', `${path}/${made.keyId}/rotate`)).status, 401, 'nor by itself');
});

t.test('a replacement ends with its original, or by its own days', async (t) => {
  const made = await mint({ expiresInDays: 2 });
  const rotate = async (keyId: string, body?: object): Promise<MintedKeyReply> =>
    (await service.call('POST', `${path}/${keyId}/rotate`, { headers, ...(body === undefined ? {} : { body }) })).body;
  const inherited = await rotate(made.keyId);
  t.equal(inherited.expiresAt, made.expiresAt);
  const prolonged = await rotate((await mint({ expiresInDays: 2 })).keyId, { expiresInDays: 5 });
  aheadMs += 2 * dayMs + 1_000;
  t.equal((await call(inherited.apiKey)).status, 401);
  t.equal((await call(prolonged.apiKey)).status, 200);
});
