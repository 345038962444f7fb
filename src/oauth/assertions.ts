/**
 * Assertions of clients that sign with a key of their own (private_key_jwt, RFC 7523): by and about the client, for this server alone, soon
 * over, and used once. The database holds those seen, for all instances; while it is away no assertion is taken.
 */
import { createHash } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, jwtVerify, type JWTPayload } from 'jose';
import type { StoredClient } from '../administration/oauth-clients.js';
import { assertionAlgorithms, type ClientKeySet } from '../contract/oauth.js';
import type { Database } from '../stores/database/port.js';

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** Longest time ahead that an assertion may expire, in seconds: it bounds what has to be remembered. */
const expiresAheadSecondsMax = 600;
/** The client’s clock and ours may differ by this much. */
const clockToleranceSeconds = 30;
/** Each remembered assertion removes at most this many that have ended. */
const tidyMax = 100;
const jtiLengthMax = 512;
/** Verified against where there is no such client, so that a refusal takes as long; whatever it is signed with, it is refused. */
const nobody: ClientKeySet = {
  keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
};

export interface AssertionDeps {
  readonly database: Database;
  /** An assertion may be addressed to these: the server, or its token endpoint. */
  readonly audiences: () => readonly string[];
  readonly now: () => number;
}

/** The client that an assertion claims to be from; null if it is no JWT. The claim is not verified here. */
export function claimedClient(assertion: string): string | null {
  try {
    return decodeJwt(assertion).sub ?? null;
  } catch {
    return null;
  }
}

/** Whether the assertion is the client’s and new. */
export async function acceptAssertion(
  deps: AssertionDeps,
  client: StoredClient | null,
  assertion: string,
): Promise<boolean> {
  const claims = await verify(deps, client?.jwks ?? nobody, client?.clientId ?? 'nobody', assertion);
  return claims !== null && client !== null && client.jwks !== null && remember(deps, client, claims);
}

async function verify(
  { audiences, now }: AssertionDeps,
  jwks: ClientKeySet,
  clientId: string,
  assertion: string,
): Promise<JWTPayload | null> {
  try {
    const { payload } = await jwtVerify(assertion, createLocalJWKSet({ keys: jwks.keys.map((key) => ({ ...key })) }), {
      algorithms: [...assertionAlgorithms],
      issuer: clientId,
      subject: clientId,
      audience: [...audiences()],
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp', 'jti', 'aud'],
      currentDate: new Date(now()),
    });
    const { exp = Infinity, iat = 0, jti = '', aud } = payload;
    const nowSeconds = now() / 1_000;
    const isBounded =
      exp <= nowSeconds + expiresAheadSecondsMax + clockToleranceSeconds && iat <= nowSeconds + clockToleranceSeconds;
    // One that others may take too could be one that was sent to them.
    const isForUs = typeof aud === 'string' || aud?.length === 1;
    return isBounded && isForUs && typeof jti === 'string' && jti !== '' && jti.length <= jtiLengthMax ? payload : null;
  } catch {
    return null;
  }
}

/** False where it was used before. */
async function remember(
  { database, now }: AssertionDeps,
  { clientId, organizationId }: StoredClient,
  { jti = '', exp = 0 }: JWTPayload,
): Promise<boolean> {
  const rows = await database.query(
    `INSERT INTO oauth_assertions (client_id, organization_id, jti_hash, expires_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING RETURNING 1 AS taken`,
    [
      clientId,
      organizationId,
      createHash('sha256').update(jti).digest(),
      new Date((exp + 2 * clockToleranceSeconds) * 1_000),
    ],
  );
  // By the clock that is behind: an instance whose own runs ahead must not forget what others still take.
  await database.query(
    `DELETE FROM oauth_assertions WHERE (client_id, jti_hash) IN
       (SELECT client_id, jti_hash FROM oauth_assertions WHERE expires_at < LEAST($1, now()) ORDER BY expires_at LIMIT ${tidyMax})`,
    [new Date(now())],
  );
  return rows.length > 0;
}
