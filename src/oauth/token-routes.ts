/**
 * The token endpoint: an access token for a client (RFC 6749, client credentials), and the address that would authorize people, which this
 * server does not. Neither is under the API root, nor in its document.
 */
import type { FastifyInstance } from 'fastify';
import type { AccessTokens } from '../administration/access-tokens.js';
import type { Limits } from '../administration/request-limits.js';
import { accessTokenSeconds, oauthScopeNames, type OAuthScope } from '../contract/oauth.js';
import type { Metrics } from '../telemetry/metrics.js';
import { authenticateClient, type AuthenticationDeps } from './client-authentication.js';
import { OAuthError, registerOAuthErrors } from './oauth-error.js';
import { formBytesMax, readForm } from './token-form.js';

export interface TokenEndpointDeps extends AuthenticationDeps {
  readonly accessTokens: Pick<AccessTokens, 'issue'>;
  readonly limits: Pick<Limits, 'takeFailedAuthentication' | 'takeToken'>;
  /** The site. */
  readonly siteUrl: () => string;
  readonly metrics: Pick<Metrics, 'accessTokens'>;
}

const access = { credential: 'none' } as const;
const formType = 'application/x-www-form-urlencoded';

/** In a scope of its own: it reads forms and answers errors in OAuth’s form. */
export function registerTokenEndpoint(scope: FastifyInstance, deps: TokenEndpointDeps): void {
  registerOAuthErrors(scope);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(formType, { parseAs: 'string', bodyLimit: formBytesMax }, (_request, body, done) =>
    done(null, body),
  );
  scope.post('/oauth/token', { config: { access }, bodyLimit: formBytesMax }, async (request, reply) => {
    void reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
    try {
      const reply = await answerForm(deps, request.headers.authorization, request.body);
      deps.metrics.accessTokens.inc({ result: 'issued' });
      return reply;
    } catch (error) {
      deps.metrics.accessTokens.inc({ result: error instanceof OAuthError ? error.error : 'failed' });
      throw error;
    }
  });
  scope.get('/oauth/authorize', { config: { access } }, async () => {
    throw new OAuthError('unsupported_response_type', 'This server authorizes clients only: use client credentials.');
  });
}

async function answerForm(deps: TokenEndpointDeps, authorization: string | undefined, body: unknown): Promise<object> {
  if (typeof body !== 'string') throw new OAuthError('invalid_request', `Send the parameters as ${formType}.`);
  const form = readForm(body);
  const grantType = form.get('grant_type');
  if (grantType === undefined) throw new OAuthError('invalid_request', 'grant_type is missing.');
  if (grantType !== 'client_credentials')
    throw new OAuthError('unsupported_grant_type', 'This server grants client_credentials only.');
  const client = await authenticateClient(deps, authorization, form);
  await deps.limits.takeToken(client.clientId);
  requireOurs(deps.siteUrl(), form.get('resource'));
  const scopes = readScopes(client.scopes, form.get('scope'));
  return {
    access_token: await deps.accessTokens.issue(client, scopes),
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    scope: scopes.join(' '),
  };
}

/** All of the client’s where none is named. One that it lacks is refused, never left out. */
function readScopes(held: readonly OAuthScope[], wanted: string | undefined): readonly OAuthScope[] {
  if (wanted === undefined) return held;
  const names = wanted.split(' ').filter((name) => name !== '');
  const beyond = names.find((name) => !held.some((scope) => scope === name));
  if (beyond !== undefined || names.length === 0)
    throw new OAuthError('invalid_scope', `The client may ask for: ${held.join(' ')}.`);
  return oauthScopeNames.filter((scope) => names.includes(scope));
}

/** A resource (RFC 8707) is this site or something on it. */
function requireOurs(siteUrl: string, resource: string | undefined): void {
  if (resource === undefined || resource === siteUrl || resource.startsWith(`${siteUrl}/`)) return;
  throw new OAuthError('invalid_target', `Tokens of this server are good at ${siteUrl} only.`);
}
