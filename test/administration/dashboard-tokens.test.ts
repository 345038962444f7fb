import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWK } from 'jose';
import t from 'tap';
import { deriveSigningKey } from '../../src/crypto/master-key.js';
import { Fault } from '../../src/errors.js';
import { createDashboardVerifier, issueDashboardToken } from '../../src/administration/dashboard-tokens.js';

const masterKey = new Uint8Array(32).fill(7);
const issuer = 'https://id.example/';
const audience = 'verifyhuman';

interface Signer {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

async function makeSigner(kid: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } };
}

const [first, second, stranger] = [await makeSigner('first'), await makeSigner('second'), await makeSigner('first')];
let keys: readonly JWK[] = [first.jwk];
let fetches = 0;
let broken = false;
const server = createServer((_request, response) => {
  fetches += 1;
  if (broken) response.writeHead(500).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
t.teardown(() => server.close());
const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
const external = { jwksUrl, issuer, audience };

const claims = { org_id: 'org_a', role: 'admin' };
const token = (
  signer: Signer,
  change: { iss?: string; aud?: string; exp?: number | null; sub?: string | null; claims?: object; typ?: string } = {},
): Promise<string> => {
  const jwt = new SignJWT({ ...claims, ...change.claims })
    .setProtectedHeader({ alg: 'RS256', kid: signer.kid, ...(change.typ === undefined ? {} : { typ: change.typ }) })
    .setIssuer(change.iss ?? issuer)
    .setAudience(change.aud ?? audience)
    .setIssuedAt();
  if (change.sub !== null) jwt.setSubject(change.sub ?? 'user-1');
  if (change.exp !== null) jwt.setExpirationTime(change.exp ?? Math.floor(Date.now() / 1_000) + 300);
  return jwt.sign(signer.privateKey);
};
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof Fault ? error.code : String(error)),
  );

t.test('a token of the configured issuer is a caller with organization and role', async (t) => {
  t.same(await createDashboardVerifier(masterKey, external)(await token(first)), {
    kind: 'dashboard',
    subject: 'user-1',
    organizationId: 'org_a',
    role: 'admin',
  });
});

t.test('what the issuer signs for another purpose is no dashboard token', async (t) => {
  const verify = createDashboardVerifier(masterKey, external);
  for (const typ of [undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt'])
    t.equal(await codeOf(token(first, typ === undefined ? {} : { typ }).then(verify)), 'accepted', typ ?? 'none');
  for (const typ of ['logout+jwt', 'secevent+jwt', 'dpop+jwt', ''])
    t.equal(await codeOf(token(first, { typ }).then(verify)), 'INVALID_TOKEN', typ);
  const strict = createDashboardVerifier(masterKey, { ...external, type: 'dash+jwt' });
  t.equal(await codeOf(token(first, { typ: 'dash+jwt' }).then(strict)), 'accepted');
  for (const change of [{}, { typ: 'JWT' }]) t.equal(await codeOf(token(first, change).then(strict)), 'INVALID_TOKEN');
});

t.test('what has not the form of a token is told as that, because it is a key that is wrong or missing', async (t) => {
  const verify = createDashboardVerifier(masterKey, external);
  for (const text of ['undefined', 'live_x', ''])
    await t.rejects(
      verify(text),
      { code: 'INVALID_TOKEN', message: /neither a secret key.*nor a dashboard token/ },
      text,
    );
});

t.test('the keys are fetched once for many tokens', async (t) => {
  const verify = createDashboardVerifier(masterKey, external);
  const before = fetches;
  await Promise.all(Array.from({ length: 20 }, async () => verify(await token(first))));
  t.equal(fetches - before, 1);
});

t.test('a wrong issuer, audience, time, signature or claim is refused', async (t) => {
  const verify = createDashboardVerifier(masterKey, external);
  const now = Math.floor(Date.now() / 1_000);
  for (const [what, jwt] of [
    ['issuer', token(first, { iss: 'https://evil.example/' })],
    ['audience', token(first, { aud: 'another-service' })],
    ['expired', token(first, { exp: now - 3_600 })],
    ['no expiry', token(first, { exp: null })],
    ['no subject', token(first, { sub: null })],
    ['another key under a known kid', token(stranger)],
    ['role', token(first, { claims: { role: 'root' } })],
    ['organization', token(first, { claims: { org_id: 7 } })],
    ['no organization', token(first, { claims: { org_id: '' } })],
    ['a subject that is no text', token(first, { sub: null, claims: { sub: 7 } })],
    ['nobody', token(first, { sub: '' })],
    ['a subject that no audit trail keeps', token(first, { sub: 'a\u0000b' })],
    ['a subject longer than a cookie holds', token(first, { sub: 'x'.repeat(256) })],
    ['not a token', Promise.resolve('a.b.c')],
  ] as const) {
    t.equal(await codeOf(verify(await jwt)), 'INVALID_TOKEN', what);
  }
});

t.test('alg none, and HMAC keyed with the public key, are refused', async (t) => {
  const verify = createDashboardVerifier(masterKey, external);
  const none = new UnsecuredJWT({ ...claims })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('user-1')
    .setExpirationTime('5m')
    .encode();
  t.equal(await codeOf(verify(none)), 'INVALID_TOKEN');
  for (const secret of [await exportSPKI(first.publicKey), JSON.stringify(first.jwk)]) {
    const confused = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('user-1')
      .setExpirationTime('5m')
      .sign(new TextEncoder().encode(secret));
    t.equal(await codeOf(verify(confused)), 'INVALID_TOKEN');
  }
});

t.test('an unknown kid makes the keys be fetched again, so that a rotation is followed', async (t) => {
  keys = [first.jwk];
  const verify = createDashboardVerifier(masterKey, external, { cooldownMs: 0 });
  await verify(await token(first));
  keys = [second.jwk];
  t.equal(await codeOf(verify(await token(second))), 'accepted');
  t.equal(await codeOf(verify(await token(first))), 'INVALID_TOKEN', 'the key that was taken away is gone');
  keys = [first.jwk];
});

t.test('invented kids fetch the keys no more often than the cool-down allows', async (t) => {
  const verify = createDashboardVerifier(masterKey, external);
  await verify(await token(first));
  const before = fetches;
  for (let n = 0; n < 30; n += 1)
    t.equal(await codeOf(verify(await token({ ...second, kid: `invented-${n}` }))), 'INVALID_TOKEN');
  t.equal(fetches - before, 0);
});

t.test('an issuer that does not answer is a store that is away, not a wrong token', async (t) => {
  broken = true;
  t.equal(await codeOf(createDashboardVerifier(masterKey, external)(await token(first))), 'STORE_UNAVAILABLE');
  broken = false;
});

t.test('the embedded issuer takes its own tokens and nobody else’s', async (t) => {
  const verify = createDashboardVerifier(masterKey, null);
  const own = await issueDashboardToken(masterKey, { organizationId: 'org_a', role: 'owner', lifetimeSeconds: 60 });
  t.match(await verify(own), { organizationId: 'org_a', role: 'owner' });
  for (const [what, jwt] of [
    ['expired', issueDashboardToken(masterKey, { organizationId: 'org_a', role: 'owner', lifetimeSeconds: -3_600 })],
    [
      'another master key',
      issueDashboardToken(new Uint8Array(32), { organizationId: 'org_a', role: 'owner', lifetimeSeconds: 60 }),
    ],
    ['an external issuer', token(first)],
  ] as const) {
    t.equal(await codeOf(verify(await jwt)), 'INVALID_TOKEN', what);
  }
  const publicKey = deriveSigningKey(masterKey, 'dashboard').publicKey.export({ format: 'pem', type: 'spki' });
  const confused = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('urn:verifyhuman:embedded')
    .setAudience('verifyhuman-dashboard')
    .setSubject('x')
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(String(publicKey)));
  t.equal(await codeOf(verify(confused)), 'INVALID_TOKEN');
  t.equal(
    await codeOf(createDashboardVerifier(masterKey, external)(own)),
    'INVALID_TOKEN',
    'with an external issuer the embedded one is off',
  );
});
