/** OAuth clients at two instances that share their stores. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import t from 'tap';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import type { MadeOAuthClient } from '../../src/contract/oauth.js';
import { askForToken, basic, bearerOf } from '../helpers/oauth.js';
import { freePorts } from '../helpers/ports.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startTestService } from '../helpers/service.js';
import { findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const stack = findStack(t, 'OAuth clients at two instances');
const siteUrl = 'https://verify.example.com';

if (stack !== null) {
  // One address for both, as behind a balancer: it is what tokens and assertions name.
  const settings = { ...(await realStoreSettings(t, stack)), VH_SITE_URL: siteUrl, VH_POOL_THREADS: '1' };
  const ports = await freePorts(2);
  const first = await startTestService(t, { ...settings, PORT: String(ports[0]), VH_BOOTSTRAP: 'on' });
  /** How far the second one's clock runs ahead, milliseconds. */
  let aheadMs = 0;
  await startTestService(
    t,
    { ...settings, PORT: String(ports[1]), VH_BOOTSTRAP: 'off', VH_ROLES: 'api' },
    { now: () => Date.now() + aheadMs },
  );
  const [one, two] = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`];
  const keys = first.bootstrap;
  const token = await issueDashboardToken(Buffer.from(settings.VH_MASTER_KEY, 'base64'), {
    organizationId: keys.organizationId,
    role: 'owner',
    lifetimeSeconds: 600,
  });
  const manage = async (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${one}/api/v1/organizations/${keys.organizationId}/oauth-clients${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const make = async (over: object = {}): Promise<MadeOAuthClient & { readonly clientSecret: string }> =>
    (await (await manage('POST', '', { name: 'Two', scopes: ['analytics:read'], ...over })).json()) as never;
  const listProjects = async (url: string, headers: Readonly<Record<string, string>>): Promise<number> =>
    (await fetch(`${url}/api/v1/projects`, { headers })).status;

  t.test('a token of one instance is good at the other, and dead there soon after its revocation', async (t) => {
    const client = await make();
    const headers = await bearerOf(one, client);
    t.equal(await listProjects(two, headers), 200);
    t.equal((await manage('DELETE', `/${client.clientId}`)).status, 200);
    t.equal(await listProjects(one, headers), 401, 'here at once');
    await waitUntil(async () => (await listProjects(two, headers)) === 401, 'the other instance refuses it');
    await waitUntil(
      async () => (await askForToken(two, {}, basic(client.clientId, client.clientSecret))).status === 401,
      'the other instance makes none',
    );
  });

  t.test('a token of before a rotation is dead at the other instance soon', async () => {
    const client = await make();
    const headers = await bearerOf(two, client);
    await manage('POST', `/${client.clientId}/rotate`, {});
    await waitUntil(async () => (await listProjects(two, headers)) === 401, 'the other instance refuses it');
  });

  /** A client that signs with a key of its own, and how it asks at an instance; the assertion expires so many seconds from now. */
  const makeSigner = async () => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    const { clientId } = await make({ jwks: { keys: [await exportJWK(pair.publicKey)] } });
    const sign = (jti: string, lifetimeSeconds: number): Promise<string> =>
      new SignJWT({
        iss: clientId,
        sub: clientId,
        aud: siteUrl,
        exp: Math.floor(Date.now() / 1_000) + lifetimeSeconds,
        jti,
      })
        .setProtectedHeader({ alg: 'ES256' })
        .sign(pair.privateKey);
    const present = async (url: string, client_assertion: string): Promise<number> => {
      const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      return (await askForToken(url, { client_assertion_type, client_assertion })).status;
    };
    return { sign, present };
  };

  t.test('an assertion that is presented to both at once is good at one of them', async (t) => {
    const { sign, present } = await makeSigner();
    for (let round = 0; round < 10; round += 1) {
      const assertion = await sign(`${round}`, 300);
      const statuses = await Promise.all([one, two, one, two].map((url) => present(url, assertion)));
      t.same(statuses.sort(), [200, 401, 401, 401]);
    }
  });

  t.test('an instance whose clock runs ahead forgets no assertion that the other would take again', async (t) => {
    const { sign, present } = await makeSigner();
    const assertion = await sign('early', 300);
    t.equal(await present(one, assertion), 200);
    aheadMs = 1_800_000;
    t.equal(await present(two, await sign('ahead', 2_100)), 200, 'and tidies by its clock');
    aheadMs = 0;
    t.equal(await present(one, assertion), 401);
  });
}
