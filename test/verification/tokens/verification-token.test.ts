import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { SignJWT } from 'jose';
import t from 'tap';
import type { SigningSecret } from '../../../src/administration/signing-secrets.js';
import {
  claimsOf,
  createTokenVerifier,
  signVerificationToken,
  type CompletedSession,
} from '../../../src/verification/tokens/verification-token.js';
import { sessionModes } from '../../../src/contract/common.js';
import { modeOf, type KeyCaller } from '../../../src/kernel/caller.js';
import { readCompactJws } from '../../../src/crypto/compact-jws.js';
import { makeKeyCaller } from '../../helpers/key-caller.js';

const nowMs = 1_800_000_000_000;
const issuer = 'https://verify.example/api/v1';
const secret = (version: number, replacedAt: Date | null = null): SigningSecret => ({
  version,
  secret: randomBytes(32),
  replacedAt,
});
const current = secret(2);
const previous = secret(1, new Date(nowMs - 60_000));
const scores = { liveness: null, uniqueness: null, authenticity: 0.9, overall: 0.9, quality: 0.8, fraud: 0 };
const resultOf = (
  status: 'pass' | 'fail' | 'review',
  shown: { readonly riskOverall?: number } = {},
): CompletedSession['result'] => ({
  verdict: {
    ...{ status, assuranceLevel: 'device_only', verificationOutcome: 'unverified_technical' },
    biometricEvidence: null,
  },
  dispatch: { status: status === 'pass' ? 'pass' : 'fail' },
  page: { scores, shown },
});
const completed = {
  organizationId: 'org_1',
  projectId: 'proj_1',
  sessionId: 'sess_1',
  mode: 'live',
  widgetMode: 'standard',
  tokenId: 'jti-1',
  completedAt: new Date(nowMs - 1_000),
  result: resultOf('pass'),
  studyId: 'study',
  respondentId: 'respondent',
  dataCollector: 'north',
  stepUp: null,
} as const;
const claims = claimsOf(completed, issuer);
const projects: Readonly<Record<string, readonly SigningSecret[]>> = {
  proj_1: [current, previous],
  proj_2: [secret(1)],
};
let now = nowMs;
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const verifyToken = createTokenVerifier({
  findSecrets: async (projectId, organizationId) => (organizationId === 'org_1' ? (projects[projectId] ?? null) : null),
  publicKey: (keyId) => (keyId === 'k1' ? publicKey : null),
  readResult: async () => null,
  issuer: () => issuer,
  now: () => now,
});
const verify = (caller: KeyCaller, token: string) => verifyToken({ ...caller, mode: modeOf(caller) }, token);
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** Signed with the right secret, whatever its header says. */
const forge = (header: object, payload: object = claims, key: Uint8Array = current.secret): string => {
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
};
const header = { alg: 'HS256', typ: 'vh-verification+jwt', kid: '2' };

t.test('a token validates to what the session ended with', async (t) => {
  t.same(await verify(makeKeyCaller(), signVerificationToken(current, claims)), {
    success: true,
    sessionId: 'sess_1',
    status: 'pass',
    dispatch: 'pass',
    mode: 'live',
    assuranceLevel: 'device_only',
    verificationOutcome: 'unverified_technical',
    biometricEvidence: null,
    widgetMode: 'standard',
    scores,
    studyId: 'study',
    respondentId: 'respondent',
    dataCollector: 'north',
    issuedAt: claims.iat,
    expiresAt: claims.iat + 3_600,
  });
});

t.test('a token says each status, the risk where it is shown, and of study and respondent what there is', async (t) => {
  for (const status of ['pass', 'fail', 'review'] as const) {
    const unnamed = { studyId: null, respondentId: null, dataCollector: null };
    const told = { ...completed, result: resultOf(status, { riskOverall: 0.25 }), ...unnamed };
    const reply = await verify(makeKeyCaller(), signVerificationToken(current, claimsOf(told, issuer)));
    t.match(reply, { success: true, status, scores: { ...scores, riskOverall: 0.25 } });
    for (const name of [...Object.keys(unnamed), 'error']) t.notOk(name in reply, name);
  }
});

t.test('a token of an independent implementation validates as well', async (t) => {
  const token = await new SignJWT({ ...claims }).setProtectedHeader(header).sign(current.secret);
  t.equal((await verify(makeKeyCaller(), token)).success, true);
});

t.test('the previous secret verifies for the lifetime of its tokens and no longer', async (t) => {
  const token = signVerificationToken(previous, claims);
  t.equal((await verify(makeKeyCaller(), token)).success, true);
  const later = { ...claims, exp: claims.exp + 100_000 };
  const long = signVerificationToken(previous, later);
  now = nowMs + 3_600_000 + 1;
  t.same(await verify(makeKeyCaller(), long), { success: false, error: 'INVALID' });
  now = nowMs;
});

t.test('an expired token is EXPIRED from its last second on', async (t) => {
  const token = signVerificationToken(current, claims);
  now = claims.exp * 1_000 - 1;
  t.equal((await verify(makeKeyCaller(), token)).success, true);
  now = claims.exp * 1_000;
  t.same(await verify(makeKeyCaller(), token), { success: false, error: 'EXPIRED' });
  now = nowMs;
});

t.test(
  'a token of another organization is WRONG_AUDIENCE; of another project, WRONG_PROJECT to a project key only',
  async (t) => {
    const token = signVerificationToken(current, claims);
    t.same(await verify(makeKeyCaller({ organizationId: 'org_2', projectId: 'proj_9' }), token), {
      success: false,
      error: 'WRONG_AUDIENCE',
    });
    t.same(await verify(makeKeyCaller({ projectId: 'proj_2' }), token), { success: false, error: 'WRONG_PROJECT' });
    t.equal((await verify(makeKeyCaller({ projectId: null }), token)).success, true);
  },
);

t.test('a key takes tokens of its own mode alone', async (t) => {
  const keys = {
    live: makeKeyCaller(),
    test: makeKeyCaller({ isTest: true }),
    demo: makeKeyCaller({ isTest: true, isDemo: true }),
  };
  for (const mode of sessionModes) {
    const token = signVerificationToken(current, claimsOf({ ...completed, mode }, issuer));
    for (const each of sessionModes) {
      const expected = each === mode ? { success: true, mode } : { success: false, error: 'INVALID', hint: 'mode' };
      t.match(await verify(keys[each], token), expected, `a ${each} key, a ${mode} token`);
    }
  }
});

const eddsa = (head: object, payload: object = claims): string => {
  const signed = `${part(head)}.${part(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
};
/** The form that a redirect carries. */
const vhToken = (over: object = {}, head: object = {}): string =>
  eddsa({ alg: 'EdDSA', typ: 'vh-verification+jwt', kid: 'k1', ...head }, { ...claims, aud: 'proj_1', ...over });

t.test('a vh_token validates as the verificationToken does, for whoever may ask', async (t) => {
  const reply = await verify(makeKeyCaller(), vhToken());
  t.same(reply, await verify(makeKeyCaller(), signVerificationToken(current, claims)));
  t.match(await verify(makeKeyCaller({ projectId: null }), vhToken()), { success: true });
  const test = vhToken({ mode: 'test', aud: 'proj_1:test' });
  t.same(await verify(makeKeyCaller(), test), { success: false, error: 'INVALID', hint: 'mode' });
  t.match(await verify(makeKeyCaller({ isTest: true }), test), { success: true, mode: 'test' });
  t.same(await verify(makeKeyCaller({ projectId: 'proj_2' }), vhToken()), { success: false, error: 'WRONG_PROJECT' });
  const stranger = makeKeyCaller({ organizationId: 'org_2', projectId: null });
  t.same(await verify(stranger, vhToken()), { success: false, error: 'WRONG_AUDIENCE' });
  t.same(await verify(makeKeyCaller(), vhToken({ exp: 1 })), { success: false, error: 'EXPIRED' });
});

const [head = '', body = '', tail = ''] = signVerificationToken(current, claims).split('.');
const raw = publicKey.export({ format: 'der', type: 'spki' });

/** Tokens of an attacker, each with the one right answer. */
const attacks: Readonly<Record<string, readonly [token: string, error: 'INVALID' | 'MALFORMED']>> = {
  'alg none without a signature': [
    `${part({ alg: 'none', typ: 'vh-verification+jwt', kid: '2' })}.${body}.`,
    'MALFORMED',
  ],
  'alg none with the signature of another header': [
    `${part({ alg: 'none', typ: 'vh-verification+jwt', kid: '2' })}.${body}.${tail}`,
    'INVALID',
  ],
  'alg none, signed as if it were HS256': [forge({ ...header, alg: 'none' }), 'INVALID'],
  'alg NONE': [forge({ ...header, alg: 'NONE' }), 'INVALID'],
  'EdDSA where HS256 is pinned': [eddsa({ alg: 'EdDSA', typ: 'vh-verification+jwt', kid: '2' }), 'INVALID'],
  'EdDSA with the audience of a verificationToken': [eddsa({ ...header, alg: 'EdDSA', kid: 'k1' }), 'INVALID'],
  'a vh_token of an unknown key': [vhToken({}, { kid: 'k2' }), 'INVALID'],
  'a vh_token of another type': [vhToken({}, { typ: 'JWT' }), 'INVALID'],
  'the token of a study place': [vhToken({ purpose: 'study_place' }, { typ: 'vh-place+jwt' }), 'INVALID'],
  'a vh_token of the purpose of a study place': [vhToken({ purpose: 'study_place' }), 'INVALID'],
  'a vh_token of another issuer': [vhToken({ iss: 'https://evil.example/api/v1' }), 'INVALID'],
  'a live vh_token for the audience of a test': [vhToken({ aud: 'proj_1:test' }), 'INVALID'],
  'a test vh_token for the live audience': [vhToken({ mode: 'test' }), 'INVALID'],
  'HS256 keyed with a public key': [forge(header, claims, raw), 'INVALID'],
  'another HMAC': [forge({ ...header, alg: 'HS512' }), 'INVALID'],
  'an unknown kid': [forge({ ...header, kid: '7' }), 'INVALID'],
  'a kid that is a path': [forge({ ...header, kid: '../../dev/null' }, claims, new Uint8Array(0)), 'INVALID'],
  'a kid that is a number': [forge({ ...header, kid: 2 }), 'INVALID'],
  'no kid': [forge({ alg: 'HS256', typ: 'vh-verification+jwt' }), 'INVALID'],
  'a key of its own in the header': [
    forge({ ...header, jwk: { kty: 'oct', k: 'AAAA' } }, claims, Buffer.from('AAAA', 'base64url')),
    'INVALID',
  ],
  'another type': [forge({ ...header, typ: 'at+jwt' }), 'INVALID'],
  'the type of a study place': [forge({ ...header, typ: 'vh-place+jwt' }), 'INVALID'],
  'the purpose of a study place': [forge(header, { ...claims, purpose: 'study_place' }), 'INVALID'],
  'critical extensions': [forge({ ...header, crit: ['b64'], b64: false }), 'INVALID'],
  'another issuer': [forge(header, { ...claims, iss: 'https://evil.example/api/v1' }), 'INVALID'],
  'no audience': [forge(header, { ...claims, aud: undefined }), 'INVALID'],
  'a list of audiences': [forge(header, { ...claims, aud: ['org_1'] }), 'INVALID'],
  'a project that is none': [forge(header, { ...claims, project_id: 'proj_3' }), 'INVALID'],
  'the secret of an empty key': [forge(header, claims, new Uint8Array(32)), 'INVALID'],
  'a changed payload': [`${head}.${part({ ...claims, status: 'fail' })}.${tail}`, 'INVALID'],
  'a cut signature': [`${head}.${body}.${tail.slice(0, 20)}`, 'INVALID'],
  'a longer signature': [
    `${head}.${body}.${Buffer.concat([Buffer.from(tail, 'base64url'), Buffer.alloc(1)]).toString('base64url')}`,
    'INVALID',
  ],
  'another spelling of the signature': [`${head}.${body}.${tail}=`, 'MALFORMED'],
  'four parts': [`${head}.${body}.${tail}.${tail}`, 'MALFORMED'],
  'two parts': [`${head}.${body}`, 'MALFORMED'],
  'white space': [` ${head}.${body}.${tail}`, 'MALFORMED'],
  'a payload that is a list': [`${head}.${part([])}.${tail}`, 'MALFORMED'],
  'a header that is no JSON': [`e30x.${body}.${tail}`, 'MALFORMED'],
  nothing: ['', 'MALFORMED'],
  'a megabyte': ['a.'.repeat(500_000), 'MALFORMED'],
};
for (const [name, [token, error]] of Object.entries(attacks)) {
  t.test(`${name} is ${error}`, async (t) => {
    t.same(await verify(makeKeyCaller(), token), { success: false, error });
  });
}

t.test('of the texts that stand for the same bytes one is a token, the others are MALFORMED', (t) => {
  const [head, body] = signVerificationToken(current, claims).split('.');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (const start of ['', 'k', 'kW', 'kWz', 'kWz0'])
    for (const end of alphabet) {
      const tail = start + end;
      const isOneWay = Buffer.from(tail, 'base64url').toString('base64url') === tail;
      t.equal(readCompactJws(`${head}.${body}.${tail}`) !== null, isOneWay, tail);
    }
  for (const part of ['/w', 'gA', '77u_', 'e30=', 'W10', 'bnVsbA'])
    t.equal(readCompactJws(`${head}.${part}.AA`), null, `${part}: not UTF-8, not base64url, or no object`);
  for (let n = 0; n < 2; n += 1)
    t.equal(readCompactJws(`${head}=.${body}.AA`), null, 'a header that is spelt otherwise');
  t.end();
});
