/**
 * Checks a `vh_token` against the service's published keys, in the browser. For the page's own use: a backend validates tokens by itself. A
 * bad token is a verdict and never throws; keys that cannot be had are a VerifyError.
 */
import { audienceOf, tokenTypes } from '../../src/contract/token-kinds.js';
import type { TokenRequirements, TokenVerdict, VerifyTokenOptions } from './api.js';
import { VerifyError } from './errors.js';
import type { Transport } from './http.js';
import { refusalError, troubleError } from './result.js';

const keysFreshMs = 3_600_000;
/** How soon an unknown key id may ask again, milliseconds. */
const againMs = 10_000;
const tokenLengthMax = 8_192;
/** Difference of clocks let pass, seconds. */
const leewaySeconds = 60;

interface Key extends JsonWebKey {
  readonly kid?: string;
}

interface KeySet {
  readonly keys: readonly Key[];
  readonly atMs: number;
}

export type TokenCheck = (
  jwt: string,
  endpoint: string,
  expected: Omit<VerifyTokenOptions, 'apiEndpoint'>,
  call: Transport,
) => Promise<TokenVerdict>;

export function createTokenCheck(): TokenCheck {
  const cache = new Map<string, KeySet>();

  async function load(endpoint: string, call: Transport, maxAgeMs: number): Promise<KeySet> {
    const kept = cache.get(endpoint);
    if (kept && Date.now() - kept.atMs < maxAgeMs) return kept;
    const url = `${endpoint}/.well-known/jwks.json`;
    const answer = await call({ method: 'GET', url }, new AbortController().signal);
    if (answer.kind === 'trouble') throw troubleError(answer);
    if (answer.status !== 200) throw refusalError(answer);
    const keySet = { keys: (answer.body as { keys: Key[] }).keys, atMs: Date.now() };
    cache.set(endpoint, keySet);
    return keySet;
  }

  return async (jwt, endpoint, { audience, mode = 'live', require = {} }, call) => {
    const token = readToken(jwt);
    if (token === null) return invalid('MALFORMED');
    const { header, claims, signed, signature } = token;
    if (header['alg'] !== 'EdDSA' || header['typ'] !== tokenTypes.verification) return invalid('INVALID');
    const find = ({ keys }: KeySet) => keys.find(({ kid }) => kid === header['kid']);
    const key = find(await load(endpoint, call, keysFreshMs)) ?? find(await load(endpoint, call, againMs));
    if (key === undefined || !(await isSigned(key, signature, signed))) return invalid('INVALID');
    const { exp, aud } = claims;
    if (typeof exp !== 'number' || exp + leewaySeconds < Date.now() / 1000) return invalid('EXPIRED');
    if (audience !== undefined && aud !== audienceOf(audience, mode)) return invalid('WRONG_AUDIENCE');
    if (claims['purpose'] !== 'verification' || claims['mode'] !== mode) return invalid('INVALID');
    const field = findUnmet(claims, require);
    return field === null ? { valid: true, claims } : { valid: false, error: 'EXPECTATION_FAILED', field };
  };
}

const invalid = (error: 'EXPIRED' | 'INVALID' | 'WRONG_AUDIENCE' | 'MALFORMED'): TokenVerdict => ({
  valid: false,
  error,
});

/** A requirement that is left undefined is not met: it would be checked against nothing. */
function findUnmet(claims: Token['claims'], require: TokenRequirements): keyof TokenRequirements | null {
  const { study_id: studyId, respondent_id: respondentId, assurance_level: level } = claims;
  const isMet = {
    studyId: () => studyId === require.studyId && studyId !== undefined,
    respondentId: () => respondentId === require.respondentId && respondentId !== undefined,
    assurance: () => level === 'biometric' || (level === 'device_only' && require.assurance === 'device_only'),
  };
  const names = Object.keys(isMet) as (keyof TokenRequirements)[];
  return names.find((name) => name in require && !isMet[name]()) ?? null;
}

async function isSigned(key: Key, signature: BufferSource, signed: BufferSource): Promise<boolean> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (subtle === undefined) throw unsupported('a secure page (https)');
  let publicKey: CryptoKey;
  try {
    const { kty, crv, x } = key;
    publicKey = await subtle.importKey('jwk', { kty, crv, x } as JsonWebKey, 'Ed25519', false, ['verify']);
  } catch (cause) {
    throw unsupported('a browser with Ed25519', cause);
  }
  return subtle.verify('Ed25519', publicKey, signature, signed);
}

const unsupported = (what: string, cause?: unknown): VerifyError =>
  new VerifyError('UNSUPPORTED', `Checking a token needs ${what}. Check it on the backend.`, {
    recoverable: false,
    cause,
  });

interface Token {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
}

/** Null where the text has not the form of a token. */
function readToken(jwt: unknown): Token | null {
  if (typeof jwt !== 'string' || jwt.length > tokenLengthMax) return null;
  const parts = jwt.split('.');
  const [header = '', claims = '', signature = ''] = parts;
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]+$/.test(part))) return null;
  try {
    return {
      header: readObject(header),
      claims: readObject(claims),
      signed: new TextEncoder().encode(`${header}.${claims}`),
      signature: decode(signature),
    };
  } catch {
    return null;
  }
}

function readObject(part: string): Record<string, unknown> {
  const value: unknown = JSON.parse(new TextDecoder().decode(decode(part)));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
  return value as Record<string, unknown>;
}

const decode = (part: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
