import { build } from 'esbuild';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import t from 'tap';
import type { TokenVerdict, VerifyTokenOptions } from '../../../sdk/widget/api.js';
import type { Transport } from '../../../sdk/widget/http.js';
import { repositoryPath } from '../../helpers/repository.js';

/** The file is a page's own, whose types are not those of a backend. */
const { outputFiles } = await build({
  entryPoints: [repositoryPath('sdk/widget/token.ts')],
  bundle: true,
  write: false,
  format: 'esm',
});
const { createTokenCheck } = (await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')}`
)) as {
  createTokenCheck: () => (
    jwt: string,
    endpoint: string,
    expected: Omit<VerifyTokenOptions, 'apiEndpoint'>,
    call: Transport,
  ) => Promise<TokenVerdict>;
};

t.test('a vh_token is told valid, expired, of another audience, forged or none, and never throws', async (t) => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA');
  const other = await generateKeyPair('EdDSA');
  let asked = 0;
  const call: Transport = async () => {
    asked += 1;
    const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1' }];
    return { kind: 'reply', status: 200, body: { keys }, etag: null, repeated: false };
  };
  const now = Math.floor(Date.now() / 1_000);
  const pass = { status: 'pass', purpose: 'verification', mode: 'live', assurance_level: 'device_only' };
  const sign = (
    expiresAt: number,
    { key = privateKey, alg = 'EdDSA', kid = 'k1', typ = 'vh-verification+jwt', aud = 'proj_1', claims = {} } = {},
  ) =>
    new SignJWT({ ...pass, ...claims })
      .setProtectedHeader({ alg, kid, typ })
      .setAudience(aud)
      .setExpirationTime(expiresAt)
      .sign(key);
  const verify = createTokenCheck();
  const checkWith = (jwt: string, expected: Omit<VerifyTokenOptions, 'apiEndpoint'>) =>
    verify(jwt, 'https://a.test/api/v1', expected, call);
  const check = (jwt: string, audience?: string) => checkWith(jwt, { audience });
  t.match(await check(await sign(now + 60), 'proj_1'), { valid: true, claims: { status: 'pass' } });
  t.match(await check(await sign(now + 60)), { valid: true }, 'for whomever');
  t.strictSame(await check(await sign(now - 61)), { valid: false, error: 'EXPIRED' });
  t.strictSame(await check(await sign(now + 60), 'proj_2'), { valid: false, error: 'WRONG_AUDIENCE' });
  t.strictSame(await check(await sign(now + 60, { key: other.privateKey })), { valid: false, error: 'INVALID' });
  const invalid = { valid: false, error: 'INVALID' };
  const place = { typ: 'vh-place+jwt', claims: { purpose: 'study_place' } };
  t.strictSame(await check(await sign(now + 60, place), 'proj_1'), invalid, 'the place of a study is no pass');
  t.strictSame(await check(await sign(now + 60, { claims: place.claims }), 'proj_1'), invalid);
  const test = await sign(now + 60, { aud: 'proj_1:test', claims: { mode: 'test' } });
  t.strictSame(await check(test, 'proj_1'), { valid: false, error: 'WRONG_AUDIENCE' }, 'a test is refused');
  t.strictSame(await check(test), invalid, 'whatever the audience');
  t.match(await checkWith(test, { audience: 'proj_1', mode: 'test' }), { valid: true }, 'unless asked for');
  const own = await sign(now + 60, { claims: { study_id: 's', respondent_id: 'r' } });
  const failed = (field: string) => ({ valid: false, error: 'EXPECTATION_FAILED', field });
  t.match(await checkWith(own, { require: { studyId: 's', respondentId: 'r', assurance: 'device_only' } }), {
    valid: true,
  });
  t.strictSame(await checkWith(own, { require: { studyId: 's', respondentId: 'other' } }), failed('respondentId'));
  t.strictSame(await checkWith(await sign(now + 60), { require: { studyId: 's' } }), failed('studyId'));
  t.strictSame(await checkWith(own, { require: { assurance: 'biometric' } }), failed('assurance'));
  for (const text of ['', 'a.b', 'a.b.c', '....', 'ä.ö.ü', 'x'.repeat(9_000)])
    t.strictSame(await check(text), { valid: false, error: 'MALFORMED' }, text.slice(0, 10));
  t.equal(asked, 1, 'keys are kept');
  t.strictSame(await check(await sign(now + 60, { kid: 'k2' })), { valid: false, error: 'INVALID' });
  t.equal(asked, 1, 'an unknown key asks again after some seconds alone');
});

t.test('keys that cannot be had are an error of the way to the service', async (t) => {
  const header = Buffer.from('{"alg":"EdDSA","kid":"k1","typ":"vh-verification+jwt"}').toString('base64url');
  const token = `${header}.${Buffer.from('{}').toString('base64url')}.AAAA`;
  const call: Transport = async () => ({ kind: 'trouble', reason: 'timeout', message: 'late' });
  await t.rejects(createTokenCheck()(token, 'https://a.test/api/v1', {}, call), { code: 'TIMEOUT' });
});
