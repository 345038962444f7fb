/**
 * Access tokens of OAuth clients (RFC 9068): JWTs that the keys of vh_token sign, apart from everything else that those keys sign by type,
 * issuer (the site, where vh_token has the API root) and audience (the API root). Algorithm, type, issuer, audience and times are pinned. A
 * token is as good as its client: one that was revoked or rotated since, or no longer holds the scope, ends it on every instance
 * within the interval of the change feed.
 */
import type { KeyObject } from 'node:crypto';
import { randomUUID } from 'node:crypto';
import { decodeJwt, jwtVerify } from 'jose';
import type { KeyCaller, AccessTokenReader } from '../kernel/caller.js';
import { rateLimitDefaults } from '../contract/api-key.js';
import { accessTokenSeconds, oauthScopeNames, type OAuthScope } from '../contract/oauth.js';
import { tokenLengthMax } from '../contract/token.js';
import { Fault } from '../errors.js';
import type { StoredClient } from './oauth-clients.js';

const type = 'at+jwt';
/** The clocks of two instances may differ by this much. */
const clockToleranceSeconds = 5;

export interface AccessTokenDeps {
  readonly keys: {
    /** Signs claims as a JWT of a type. */
    sign(claims: object, type: string): Promise<string>;
    /** A published key, or null. */
    publicKey(keyId: string): KeyObject | null;
  };
  readonly findClient: (clientId: string) => Promise<StoredClient | null>;
  /** The site. */
  readonly issuer: () => string;
  /** The API root. */
  readonly audience: () => string;
  readonly now: () => number;
}

export interface AccessTokens extends AccessTokenReader {
  issue(client: StoredClient, scopes: readonly OAuthScope[]): Promise<string>;
}

export function createAccessTokens({ keys, findClient, issuer, audience, now }: AccessTokenDeps): AccessTokens {
  /** The challenge of a refusal: where a client gets a token (RFC 6750, RFC 9728). */
  const challenge = (): string =>
    `Bearer resource_metadata="${issuer()}/.well-known/oauth-protected-resource${audience().slice(issuer().length)}"`;
  const refused = (internal: string): Fault =>
    new Fault('INVALID_TOKEN', 'The access token is invalid, expired or revoked. Request a new one.', {
      internal,
      headers: { 'www-authenticate': `${challenge()}, error="invalid_token"` },
    });

  async function verified(token: string): Promise<Readonly<Record<string, unknown>>> {
    try {
      const { payload } = await jwtVerify(
        token,
        ({ kid }) => keys.publicKey(kid ?? '') ?? Promise.reject(new Error('unknown key')),
        {
          typ: type,
          algorithms: ['EdDSA'],
          issuer: issuer(),
          audience: audience(),
          clockTolerance: clockToleranceSeconds,
          requiredClaims: ['exp', 'iat', 'jti', 'sub', 'client_id', 'scope', 'org'],
          currentDate: new Date(now()),
        },
      );
      return payload;
    } catch (error) {
      throw refused((error as Error).message);
    }
  }

  return {
    challenge,
    isOurs(token) {
      if (token.length > tokenLengthMax) return false;
      try {
        return decodeJwt(token).iss === issuer();
      } catch {
        return false;
      }
    },
    issue(client, scopes) {
      const claims = claimsOf(client, scopes, Math.floor(now() / 1_000));
      return keys.sign({ iss: issuer(), aud: audience(), ...claims }, type);
    },
    async verify(token): Promise<KeyCaller> {
      const claims = await verified(token);
      const client = await findClient(String(claims['client_id']));
      if (client === null || client.organizationId !== claims['org'] || client.version !== claims['client_version'])
        throw refused('the client is gone or was rotated');
      const granted = String(claims['scope']).split(' ');
      return {
        kind: 'key',
        client: true,
        keyId: client.clientId,
        lineage: client.clientId,
        organizationId: client.organizationId,
        projectId: null,
        scopes: oauthScopeNames.filter((scope) => granted.includes(scope) && client.scopes.includes(scope)),
        limits: rateLimitDefaults,
        ...{ isTest: false, isDemo: false, diagnosticsEnabled: false },
      };
    },
  };
}

const claimsOf = ({ clientId, organizationId, version }: StoredClient, scopes: readonly OAuthScope[], iat: number) => ({
  ...{ sub: clientId, client_id: clientId, client_version: version },
  ...{ org: organizationId, scope: scopes.join(' ') },
  ...{ jti: randomUUID(), iat, exp: iat + accessTokenSeconds },
});
