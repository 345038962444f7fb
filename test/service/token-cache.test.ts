/** Tokens that are validated more than once, at two instances: what is kept of their sessions never outlives an erasure, a use or a revocation. */
import t from 'tap';
import type { TokenReply } from '../../src/contract/token.js';
import { freePorts } from '../helpers/ports.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startTestService, type TestService } from '../helpers/service.js';
import { findStack } from '../helpers/stores.js';
import { createSession, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const stack = findStack(t, 'tokens at two instances');

if (stack !== null) {
  // One address for both, as behind a balancer: it is what tokens name.
  const siteUrl = 'https://verify.example.com';
  const settings = { ...(await realStoreSettings(t, stack)), VH_SITE_URL: siteUrl, VH_POOL_THREADS: '1' };
  const ports = await freePorts(2);
  const open = async (port: number | undefined, own: Readonly<Record<string, string>>) => {
    const { bootstrap } = await startTestService(t, { ...settings, ...own, PORT: String(port) });
    const call: TestService['call'] = async (method, path, { body, headers = {} } = {}) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as never };
    };
    return { bootstrap, call };
  };
  const first = await open(ports[0], { VH_BOOTSTRAP: 'on' });
  const second = await open(ports[1], { VH_BOOTSTRAP: 'off', VH_ROLES: 'api' });
  const { projectId, projectKey, organizationKey } = first.bootstrap;
  const organization = { 'x-api-key': organizationKey };
  const check = async (at: Pick<TestService, 'call'>, body: object, key = projectKey) => {
    const { status, body: reply } = await at.call('POST', '/token/verify', { body, headers: { 'x-api-key': key } });
    return { httpStatus: status, ...(reply as TokenReply) };
  };
  const complete = async (respondentId: string): Promise<string> =>
    (await verify(first, await createSession(first, { respondentId }))).body.verificationToken;

  t.test('an erased session is forgotten at both', async (t) => {
    const token = await complete('erased');
    for (const at of [first, second]) t.ok((await check(at, { token })).fraudSignals, 'the backend learns everything');
    const erase = { headers: organization };
    t.equal((await first.call('DELETE', `/projects/${projectId}/respondents/erased`, erase)).status, 200);
    t.notOk((await check(first, { token })).fraudSignals, 'at once where it was erased');
    await waitUntil(
      async () => (await check(second, { token })).fraudSignals === undefined,
      'the other instance heard of it',
    );
    t.match(await check(second, { token, use: 'order-1' }), { success: false, error: 'SESSION_ERASED' });
  });

  t.test('a use counts at both, however often the token was validated', async (t) => {
    const token = await complete('used');
    for (const at of [first, second]) t.equal((await check(at, { token })).success, true);
    t.equal((await check(first, { token, use: 'order-1' })).success, true);
    t.match(await check(second, { token, use: 'order-2' }), { success: false, error: 'ALREADY_USED' });
    t.equal((await check(second, { token, use: 'order-1' })).success, true);
  });

  t.test('a revoked key validates nothing more at either', async (t) => {
    const token = await complete('revoked');
    const keys = `/projects/${projectId}/api-keys`;
    const { body } = await first.call('POST', keys, { body: { name: 'Short' }, headers: organization });
    const { apiKey, keyId } = body as { apiKey: string; keyId: string };
    for (const at of [first, second]) t.equal((await check(at, { token }, apiKey)).httpStatus, 200);
    t.equal((await first.call('DELETE', `${keys}/${keyId}`, { headers: organization })).status, 200);
    t.equal((await check(first, { token }, apiKey)).httpStatus, 401);
    await waitUntil(
      async () => (await check(second, { token }, apiKey)).httpStatus === 401,
      'the key is dead at the other',
    );
  });
}
