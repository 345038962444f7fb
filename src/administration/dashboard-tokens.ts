/**
 * Dashboard tokens: JWTs of a configured OIDC issuer, or of the embedded one, whose key derives from the master key; and those of the console. Algorithm, type,
 * issuer, audience and expiry are pinned: an issuer signs other things with the same keys.
 */
import { createRemoteJWKSet, decodeJwt, jwtVerify, SignJWT, type JWTVerifyGetKey } from 'jose';
import type { DashboardCaller, DashboardRole } from '../kernel/caller.js';
import { deriveSigningKey } from '../crypto/master-key.js';
import { Fault } from '../errors.js';
import { consoleIssuer, createConsoleVerifier } from './console-tokens.js';
import { dashboardCallerOf } from './dashboard-claims.js';

const embedded = { issuer: 'urn:verifyhuman:embedded', audience: 'verifyhuman-dashboard' } as const;
const purpose = 'dashboard';
const externalAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA'];
const clockToleranceSeconds = 30;
const fetchDeadlineMs = 5_000;
/** An unknown key id makes the issuer’s keys be fetched again, and not more often than this. */
const cooldownMsDefault = 10_000;
const keysKeptMsMax = 3_600_000;

/** How jose says that the issuer did not answer, answered an error, or answered something that is no key set. */
const issuerFailures = ['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID'];

export interface ExternalIssuer {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
  /** The type that a token must name in its header; null takes what stands for a plain or an access token. */
  readonly type?: string | null;
}

/** Types of the header (RFC 7519, RFC 9068); one that is left out means the first. */
const plainTypes = ['jwt', 'at+jwt'];

/** Signs a token of the embedded issuer. */
export function issueDashboardToken(
  masterKey: Uint8Array,
  claims: { readonly organizationId: string; readonly role: DashboardRole; readonly lifetimeSeconds: number },
): Promise<string> {
  const key = deriveSigningKey(masterKey, purpose);
  return new SignJWT({ org_id: claims.organizationId, role: claims.role })
    .setProtectedHeader({ alg: 'EdDSA', kid: key.keyId, typ: 'JWT' })
    .setIssuer(embedded.issuer)
    .setAudience(embedded.audience)
    .setSubject(`operator:${claims.role}`)
    .setIssuedAt()
    .setExpirationTime(`${claims.lifetimeSeconds}s`)
    .sign(key.privateKey);
}

/** Makes the verifier; it throws INVALID_TOKEN, or STORE_UNAVAILABLE where the issuer’s keys cannot be fetched. */
export function createDashboardVerifier(
  masterKey: Uint8Array,
  external: ExternalIssuer | null,
  { cooldownMs = cooldownMsDefault }: { readonly cooldownMs?: number } = {},
): (token: string) => Promise<DashboardCaller> {
  const { publicKey } = deriveSigningKey(masterKey, purpose);
  const remote =
    external === null
      ? null
      : createRemoteJWKSet(new URL(external.jwksUrl), {
          timeoutDuration: fetchDeadlineMs,
          cooldownDuration: cooldownMs,
          cacheMaxAge: keysKeptMsMax,
        });
  const getKey: JWTVerifyGetKey | typeof publicKey = remote ?? publicKey;
  const options = {
    issuer: external?.issuer ?? embedded.issuer,
    audience: external?.audience ?? embedded.audience,
    algorithms: external === null ? ['EdDSA'] : externalAlgorithms,
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['exp', 'sub'],
  };
  const verifyConsole = createConsoleVerifier(masterKey);
  return async (token) => {
    try {
      if (decodeJwt(token).iss === consoleIssuer) return (await verifyConsole(token, 'dashboard')).caller;
      const { payload, protectedHeader } =
        typeof getKey === 'function'
          ? await jwtVerify(token, getKey, options)
          : await jwtVerify(token, getKey, options);
      requireType(protectedHeader.typ, external?.type ?? null);
      return dashboardCallerOf(payload);
    } catch (error) {
      if (error instanceof Fault) throw error;
      const code = (error as { code?: string }).code ?? '';
      if (issuerFailures.includes(code) || !code.startsWith('ERR_')) {
        throw new Fault(
          'STORE_UNAVAILABLE',
          'The issuer of dashboard tokens is not responding. Try again in a moment.',
          {
            headers: { 'retry-after': '2' },
            cause: error,
          },
        );
      }
      const message = isToken(token)
        ? 'The dashboard token is invalid or has expired. Sign in again.'
        : 'This is neither a secret key (`vf_…`) nor a dashboard token. Check that the variable of your key is set.';
      throw new Fault('INVALID_TOKEN', message, { internal: code });
    }
  };
}

/** Whether a text has the form of a signed token. */
const isToken = (text: string): boolean => text.split('.').length === 3;

/** Case does not count, nor does the prefix that media types may have. */
function requireType(type: string | undefined, wanted: string | null): void {
  const plain = (text: string): string => text.toLowerCase().replace(/^application\//, '');
  const isFit =
    wanted === null ? plainTypes.includes(plain(type ?? 'jwt')) : type !== undefined && plain(type) === plain(wanted);
  if (!isFit)
    throw new Fault('INVALID_TOKEN', 'This is not a dashboard token. Sign in again.', {
      internal: `typ ${String(type).slice(0, 100)}`,
    });
}
