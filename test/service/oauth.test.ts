/** OAuth clients from their making to their end, with a client library of other hands and with hostile hands. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { request as rawRequest } from 'node:http';
import {
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
} from 'jose';
import * as oauth from 'oauth4webapi';
import t from 'tap';
import { accessTokenSeconds, type MadeOAuthClient } from '../../src/contract/oauth.js';
import { askForToken, basic, bearerOf, makeClient, ownerOf } from '../helpers/oauth.js';
import { startTestService } from '../helpers/service.js';
import { createSession, verify } from '../helpers/verifications.js';

let nowMs = Date.now();
const service = await startTestService(t, { VH_BOOTSTRAP: 'on' }, { now: () => nowMs });
const { siteUrl, baseUrl, organizationId, projectId } = service.bootstrap;
const owner = await ownerOf(service);
const clients = `/organizations/${organizationId}/oauth-clients`;
const insecure = { [oauth.allowInsecureRequests]: true } as const;
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

let sessions = 0;
const score = (headers: Readonly<Record<string, string>>) =>
  service.call('POST', '/lite/score', {
    body: { sessionId: `oauth-${(sessions += 1)}`, clientIp: '203.0.113.5' },
    headers,
  });

async function discover(): Promise<oauth.AuthorizationServer> {
  const resource = new URL(baseUrl);
  const found = await oauth.resourceDiscoveryRequest(resource, insecure);
  const { authorization_servers: [issuer = ''] = [] } = await oauth.processResourceDiscoveryResponse(resource, found);
  const server = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure });
  return oauth.processDiscoveryResponse(new URL(issuer), server);
}

t.test('an independent client discovers the server, authenticates by secret, and scores', async (t) => {
  const server = await discover();
  t.same(server.grant_types_supported, ['client_credentials']);
  const made = await makeClient(service, { scopes: ['lite:score', 'lite:read'] });
  t.match(made.clientId, /^client_[0-9a-f]{32}$/);
  const client: oauth.Client = { client_id: made.clientId };
  const response = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    oauth.ClientSecretBasic(made.clientSecret),
    { scope: 'lite:score' },
    insecure,
  );
  t.equal(response.headers.get('cache-control'), 'no-store');
  const token = await oauth.processClientCredentialsResponse(server, client, response);
  t.equal(token.scope, 'lite:score');
  t.equal(token.expires_in, accessTokenSeconds);
  const { iss, aud, org, client_id: clientId, exp = 0, iat = 0 } = decodeJwt(token.access_token);
  t.same({ iss, aud, org, clientId }, { iss: siteUrl, aud: baseUrl, org: organizationId, clientId: made.clientId });
  t.equal(exp - iat, 900);
  t.match(decodeProtectedHeader(token.access_token), { alg: 'EdDSA', typ: 'at+jwt' });

  const resource = await oauth.protectedResourceRequest(
    token.access_token,
    'POST',
    new URL(`${baseUrl}/lite/score`),
    new Headers({ 'content-type': 'application/json' }),
    JSON.stringify({ sessionId: 'independent', clientIp: '203.0.113.5' }),
    insecure,
  );
  t.equal(resource.status, 200);
  const keys = (await (await fetch(server.jwks_uri ?? '')).json()) as { readonly keys: readonly { kid: string }[] };
  t.ok(keys.keys.some(({ kid }) => kid === decodeProtectedHeader(token.access_token).kid));
});

const ed25519 = await generateKeyPair('Ed25519', { extractable: true });
const signing = await makeClient(service, { jwks: { keys: [{ ...(await exportJWK(ed25519.publicKey)), kid: 'a' }] } });

interface Assertion {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: CryptoKey | Uint8Array;
}
async function assertion({ claims = {}, header = {}, key = ed25519.privateKey }: Assertion = {}): Promise<string> {
  const iat = Math.floor(nowMs / 1_000);
  const id = signing.clientId;
  return new SignJWT({ iss: id, sub: id, aud: siteUrl, iat, exp: iat + 60, jti: crypto.randomUUID(), ...claims })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'a', ...header })
    .sign(key);
}
const present = (client_assertion: string, form = {}) =>
  askForToken(siteUrl, { client_assertion_type: assertionType, client_assertion, ...form });

t.test('an independent client authenticates by private_key_jwt', async (t) => {
  t.notOk('clientSecret' in signing, 'it has no secret');
  const server = await discover();
  for (const [alg, curve] of [
    ['ES256', 'P-256'],
    ['PS256', 'RSA'],
    ['Ed25519', 'Ed25519'],
  ] as const) {
    const pair = await generateKeyPair(alg, { extractable: true });
    const made = await makeClient(service, { jwks: { keys: [await exportJWK(pair.publicKey)] } });
    // The service’s clock stands; a slow start would have the client’s run ahead of it.
    const clockSkew = Math.round((nowMs - Date.now()) / 1_000);
    const client: oauth.Client = { client_id: made.clientId, [oauth.clockSkew]: clockSkew };
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.PrivateKeyJwt(pair.privateKey),
      {},
      insecure,
    );
    const token = await oauth.processClientCredentialsResponse(server, client, response);
    t.equal((await score({ authorization: `Bearer ${token.access_token}` })).status, 200, curve);
  }
});

t.test('an assertion is good once, for this server, by this client, and for a short time', async (t) => {
  const good = await assertion();
  t.equal((await present(good)).status, 200);
  const other = await generateKeyPair('EdDSA');
  const now = Math.floor(nowMs / 1_000);
  const publicKey = createPublicKey(createPrivateKey({ key: await exportJWK(ed25519.privateKey), format: 'jwk' }));
  const hmac = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }) as string);
  const hostile: Readonly<Record<string, string>> = {
    replayed: good,
    'for another server': await assertion({ claims: { aud: 'https://elsewhere.example' } }),
    'for others as well': await assertion({ claims: { aud: [siteUrl, 'https://elsewhere.example'] } }),
    'for nobody': await assertion({ claims: { aud: undefined } }),
    'of another issuer': await assertion({ claims: { iss: 'somebody' } }),
    'about another client': await assertion({ claims: { sub: 'client_00000000000000000000000000000000' } }),
    'without jti': await assertion({ claims: { jti: undefined } }),
    'without exp': await assertion({ claims: { exp: undefined } }),
    'over, beyond the skew': await assertion({ claims: { iat: now - 120, exp: now - 31 } }),
    'good for too long': await assertion({ claims: { exp: now + 3_600 } }),
    'of the future': await assertion({ claims: { nbf: now + 60, iat: now + 60, exp: now + 120 } }),
    'of a foreign key': await assertion({ key: other.privateKey }),
    'HS256 with the public key': await assertion({ header: { alg: 'HS256' }, key: hmac }),
    'alg none': new UnsecuredJWT({
      iss: signing.clientId,
      sub: signing.clientId,
      aud: siteUrl,
      jti: 'n',
      exp: now + 60,
    }).encode(),
    'no JWT': 'garbage',
  };
  for (const [what, text] of Object.entries(hostile)) {
    const { status, body } = await present(text);
    t.same([status, body.error], [401, 'invalid_client'], what);
  }
  t.equal(
    (await present(await assertion({ claims: { iat: now - 40, exp: now - 20 } }))).status,
    200,
    'within the skew',
  );
  t.equal(
    (await present(await assertion({ claims: { aud: `${siteUrl}/oauth/token` } }))).status,
    200,
    'to the endpoint',
  );
  t.equal((await present(await assertion(), { client_id: 'client_x' })).status, 401, 'named otherwise in the form');
});

t.test('what the endpoint cannot grant it refuses as RFC 6749 says', async (t) => {
  const { clientId, clientSecret } = await makeClient(service, { scopes: ['lite:read'] });
  const id = basic(clientId, clientSecret);
  const cases: readonly (readonly [string, Awaited<ReturnType<typeof askForToken>>, number, string])[] = [
    ['another grant', await askForToken(siteUrl, { grant_type: 'password' }, id), 400, 'unsupported_grant_type'],
    ['a code', await askForToken(siteUrl, { grant_type: 'authorization_code' }, id), 400, 'unsupported_grant_type'],
    ['no grant', await askForToken(siteUrl, 'scope=lite:read', id), 400, 'invalid_request'],
    [
      'a parameter twice',
      await askForToken(siteUrl, 'grant_type=client_credentials&scope=a&scope=b', id),
      400,
      'invalid_request',
    ],
    [
      'a scope beyond its own',
      await askForToken(siteUrl, { scope: 'lite:read projects:write' }, id),
      400,
      'invalid_scope',
    ],
    ['a scope of nobody', await askForToken(siteUrl, { scope: 'admin' }, id), 400, 'invalid_scope'],
    [
      'a foreign resource',
      await askForToken(siteUrl, { resource: 'https://elsewhere.example/mcp' }, id),
      400,
      'invalid_target',
    ],
    [
      'a look-alike of ours',
      await askForToken(siteUrl, { resource: `${siteUrl}.elsewhere.example` }, id),
      400,
      'invalid_target',
    ],
    ['a wrong secret', await askForToken(siteUrl, {}, basic(clientId, 'wrong')), 401, 'invalid_client'],
    ['no secret', await askForToken(siteUrl, {}), 401, 'invalid_client'],
    [
      'an unknown client',
      await askForToken(siteUrl, {}, basic(`client_${'0'.repeat(32)}`, clientSecret)),
      401,
      'invalid_client',
    ],
    ['a secret where keys are due', await askForToken(siteUrl, {}, basic(signing.clientId, '')), 401, 'invalid_client'],
    [
      'the secret in the form',
      await askForToken(siteUrl, { client_id: clientId, client_secret: clientSecret }),
      400,
      'invalid_request',
    ],
    ['JSON', await askForToken(siteUrl, '{}', { ...id, 'content-type': 'application/json' }), 400, 'invalid_request'],
    ['too much', await askForToken(siteUrl, { x: 'x'.repeat(20_000) }, id), 400, 'invalid_request'],
  ];
  for (const [what, answer, status, error] of cases) {
    t.same([answer.status, answer.body.error], [status, error], what);
    t.ok(answer.body.error_description);
    t.equal(answer.headers.get('cache-control'), 'no-store', what);
    t.equal(answer.headers.get('www-authenticate')?.startsWith('Basic'), status === 401 ? true : undefined, what);
  }
  t.equal((await askForToken(siteUrl, { resource: `${siteUrl}/mcp` }, id)).status, 200, 'its own resource');
  const authorize = await fetch(`${siteUrl}/oauth/authorize?response_type=code&redirect_uri=https://evil.example`, {
    redirect: 'manual',
  });
  t.equal(authorize.status, 400, 'nobody is sent anywhere');
});

t.test('documents name the address of the settings, whatever the request says of its host', async (t) => {
  for (const path of ['oauth-authorization-server', 'oauth-protected-resource', 'oauth-protected-resource/mcp']) {
    const text = await new Promise<string>((resolve, reject) => {
      const url = new URL(`${siteUrl}/.well-known/${path}`);
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
      rawRequest(url, { headers }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString())).on('end', () => resolve(body));
      })
        .on('error', reject)
        .end();
    });
    t.notMatch(text, /evil/, path);
    t.ok(text.includes(siteUrl), path);
  }
});

t.test('a token opens what its scopes say and nothing else, and the refusal names what is missing', async (t) => {
  const client = await makeClient(service, { scopes: ['lite:score', 'analytics:read'] });
  const token = await bearerOf(siteUrl, client, { scope: 'lite:score' });
  const refused = await service.call('GET', `/projects/${projectId}/analytics`, { headers: token });
  t.equal(refused.status, 403);
  t.match(refused.body, { code: 'INSUFFICIENT_SCOPE', message: /analytics:read/ });
  t.match(refused.headers.get('www-authenticate'), /insufficient_scope.*scope="analytics:read"/);
  t.equal((await service.call('GET', `/organizations/${organizationId}/audit`, { headers: token })).status, 403);
  t.equal(
    (await service.call('POST', clients, { body: { name: 'x', scopes: ['projects:write'] }, headers: token })).status,
    403,
  );
  const writer = await bearerOf(siteUrl, await makeClient(service, { scopes: ['projects:write'] }));
  for (const path of ['/projects', '/projects/provision']) {
    const body = { name: 'Escalation', externalId: `escalation${path}`, issueApiKey: true };
    t.equal((await service.call('POST', path, { body, headers: writer })).status, 403, `${path} makes no key`);
  }
});

t.test('a client scores for the project that it names, and reads the evidence of it', async (t) => {
  const headers = await bearerOf(siteUrl, await makeClient(service, { scopes: ['lite:score', 'lite:read'] }));
  const scored = await score({ ...headers, 'x-project-id': projectId });
  t.equal(scored.status, 200);
  const { receiptId } = scored.body as { receiptId: string };
  const evidence = (of: Readonly<Record<string, string>>) =>
    service.call('GET', `/lite/score/${receiptId}/evidence`, { headers: { ...of, 'x-project-id': projectId } });
  t.equal((await evidence(headers)).status, 200);
  const narrow = await makeClient(service, { scopes: ['lite:read'] });
  t.equal((await evidence(await bearerOf(siteUrl, narrow))).status, 404, 'of another client');
  t.equal((await score({ ...headers, 'x-project-id': `proj_${'0'.repeat(32)}` })).status, 404);
});

t.test('no token stands in for another', async (t) => {
  const client = await makeClient(service);
  const { authorization } = await bearerOf(siteUrl, client);
  const accessToken = authorization.slice('Bearer '.length);
  const session = await createSession(service);
  const { verificationToken } = (await verify(service, session)).body as unknown as { verificationToken: string };
  const dashboard = owner['authorization'] ?? '';
  t.equal((await score({ authorization: dashboard })).status, 401, 'a dashboard token is no access token');
  t.equal((await score({ authorization: `Bearer ${verificationToken}` })).status, 401, 'nor is a verificationToken');
  t.equal(
    (await service.call('GET', `/organizations/${organizationId}/audit`, { headers: { authorization } })).status,
    403,
  );
  const validated = await service.call('POST', '/token/verify', { body: { token: accessToken } });
  t.match(validated.body, { success: false }, 'an access token is no verificationToken');
  t.equal((await score({ 'x-api-key': client.clientSecret })).status, 401, 'a client’s secret is no key');
  t.equal((await present(accessToken)).status, 401, 'an access token is no assertion');
  for (const forged of await forgeries(accessToken)) {
    const answer = await score({ authorization: `Bearer ${forged}` });
    t.equal(answer.status, 401, JSON.stringify(decodeProtectedHeader(forged)));
  }
});

/** Tokens that say all the right things, and are not ours. */
async function forgeries(accessToken: string): Promise<readonly string[]> {
  const claims = decodeJwt(accessToken);
  const header = { ...decodeProtectedHeader(accessToken), alg: 'EdDSA' };
  const foreign = await generateKeyPair('EdDSA');
  const { keys } = (await service.call('GET', '/.well-known/jwks.json', { headers: {} })).body as {
    readonly keys: readonly { readonly x: string }[];
  };
  const sign = (over: object, key: CryptoKey | Uint8Array) =>
    new SignJWT(claims).setProtectedHeader({ ...header, ...over }).sign(key);
  const [head = '', body = '', signature = ''] = accessToken.split('.');
  const richer = Buffer.from(JSON.stringify({ ...claims, scope: 'projects:write' })).toString('base64url');
  return [
    await sign({}, foreign.privateKey),
    await sign({ kid: 'unknown' }, foreign.privateKey),
    await sign({ alg: 'HS256' }, Buffer.from(keys[0]?.x ?? '')),
    new UnsecuredJWT(claims).encode(),
    `${head}.${richer}.${signature}`,
    `${head}.${body}.`,
  ];
}

t.test('a token ends after fifteen minutes', async (t) => {
  const headers = await bearerOf(siteUrl, await makeClient(service));
  nowMs += (accessTokenSeconds - 10) * 1_000;
  t.equal((await score(headers)).status, 200);
  nowMs += 20_000;
  const ended = await score(headers);
  t.equal(ended.status, 401);
  t.match(ended.body, { code: 'INVALID_TOKEN' });
  t.match(ended.headers.get('www-authenticate'), /invalid_token/);
  t.match(ended.headers.get('www-authenticate'), /resource_metadata="http/);
});

t.test('rotation and revocation end the tokens that were made before', async (t) => {
  const client = await makeClient(service);
  const before = await bearerOf(siteUrl, client);
  const rotated = await service.call('POST', `${clients}/${client.clientId}/rotate`, { headers: owner });
  t.equal(rotated.status, 200);
  const { clientSecret = '' } = rotated.body as MadeOAuthClient;
  t.equal((await score(before)).status, 401, 'of the old secret');
  t.equal((await askForToken(siteUrl, {}, basic(client.clientId, client.clientSecret))).status, 401);
  const after = await bearerOf(siteUrl, { clientId: client.clientId, clientSecret });
  t.equal((await score(after)).status, 200);
  const revoked = await service.call('DELETE', `${clients}/${client.clientId}`, { headers: owner });
  t.match(revoked.body, { state: 'revoked' });
  t.equal((await score(after)).status, 401);
  t.equal((await askForToken(siteUrl, {}, basic(client.clientId, clientSecret))).status, 401);
  t.equal((await service.call('POST', `${clients}/${client.clientId}/rotate`, { headers: owner })).status, 404);
  const list = await service.call('GET', `${clients}?limit=1`, { headers: owner });
  t.match(list.body, { oauthClients: [{ state: 'revoked' }], nextCursor: String });
  t.notMatch(JSON.stringify(list.body), /secret_?hash|vfoauth_/i);
  const { entries } = (await service.call('GET', `/organizations/${organizationId}/audit`, { headers: owner }))
    .body as {
    readonly entries: readonly { readonly action: string }[];
  };
  t.same(
    entries.slice(0, 3).map(({ action }) => action),
    ['client.revoked', 'client.rotated', 'client.created'],
  );
});

t.test('keys that are private, weak or nobody’s are refused', async (t) => {
  const weak = { kty: 'RSA', n: Buffer.alloc(128, 255).toString('base64url'), e: 'AQAB' };
  for (const key of [
    await exportJWK(ed25519.privateKey),
    weak,
    { kty: 'OKP', crv: 'Ed25519', x: 'AA' },
    { kty: 'oct', k: 'AA' },
  ]) {
    const body = { name: 'x', scopes: ['lite:read'], jwks: { keys: [key] } };
    t.equal(
      (await service.call('POST', clients, { body, headers: owner })).status,
      400,
      JSON.stringify(key).slice(0, 40),
    );
  }
});
