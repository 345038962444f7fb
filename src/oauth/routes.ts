/** OAuth at the root of the site: its documents, the token endpoint (RFC 6749, client credentials), and a refusal at the authorize address. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AccessTokens } from '../administration/access-tokens.js';
import type { Limits } from '../administration/request-limits.js';
import { accessTokenSeconds, assertionAlgorithms, oauthScopeNames, type OAuthScope } from '../contract/oauth.js';
import { takeRefusedRate } from '../http/access.js';
import type { Metrics } from '../telemetry/metrics.js';
import { authenticateClient, readForm, type AuthenticationDeps } from './client-authentication.js';
import { OAuthError, registerOAuthErrors } from './oauth-error.js';

export interface OAuthDeps extends AuthenticationDeps {
  readonly accessTokens: Pick<AccessTokens, 'issue'>;
  readonly limits: Pick<Limits, 'takeAddress' | 'takeFailedAuthentication' | 'takeToken'>;
  /** The site. */
  readonly siteUrl: () => string;
  /** The API root. */
  readonly apiUrl: () => string;
  readonly metrics: Pick<Metrics, 'accessTokens'>;
}

const access = { credential: 'none' } as const;
const formBytesMax = 16_384;
const formType = 'application/x-www-form-urlencoded';

export function registerOAuth(app: FastifyInstance, deps: OAuthDeps): void {
  registerMetadata(app, deps);
  void app.register(async (scope) => registerTokenEndpoint(scope, deps));
}

/** In a scope of its own: it reads forms and answers errors in OAuth’s form. */
function registerTokenEndpoint(scope: FastifyInstance, deps: OAuthDeps): void {
  const takeRefused = (address: FastifyRequest['clientAddress']) => deps.limits.takeAddress('requests', address);
  registerOAuthErrors(scope, (request) => takeRefusedRate(request, { status: 400 }, { takeRefused }));
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
    throw new OAuthError('unsupported_response_type', 'This response type is not supported. Use client credentials.');
  });
}

async function answerForm(deps: OAuthDeps, authorization: string | undefined, body: unknown): Promise<object> {
  if (typeof body !== 'string')
    throw new OAuthError(
      'invalid_request',
      `The content type is not supported. Send the parameters as \`${formType}\`.`,
    );
  const form = readForm(body);
  const grantType = form.get('grant_type');
  if (grantType === undefined)
    throw new OAuthError('invalid_request', '`grant_type` is missing. Send `client_credentials`.');
  if (grantType !== 'client_credentials')
    throw new OAuthError('unsupported_grant_type', 'This grant type is not supported. Use `client_credentials`.');
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
    throw new OAuthError('invalid_scope', `A scope is not allowed for this client. Request ${held.join(' ')}.`);
  return oauthScopeNames.filter((scope) => names.includes(scope));
}

/** A resource (RFC 8707) is this site or something on it. */
function requireOurs(siteUrl: string, resource: string | undefined): void {
  if (resource === undefined || resource === siteUrl || resource.startsWith(`${siteUrl}/`)) return;
  throw new OAuthError('invalid_target', `The resource is not known. Use ${siteUrl}.`);
}

/** Paths below the site that take access tokens. */
const resources = ['', '/api/v1', '/mcp'] as const;
const headers = {
  'cache-control': 'public, max-age=3600',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** Registers the metadata of the authorization server (RFC 8414) and its resources (RFC 9728). All addresses come from the settings. */
function registerMetadata(app: FastifyInstance, { siteUrl, apiUrl }: OAuthDeps): void {
  const config = { access };
  app.get('/.well-known/oauth-authorization-server', { config }, async (_request, reply) => {
    void reply.headers(headers);
    const issuer = siteUrl();
    return {
      issuer,
      token_endpoint: `${issuer}/oauth/token`,
      // Clients of other hands read no document without it. It answers that there is no such grant.
      authorization_endpoint: `${issuer}/oauth/authorize`,
      jwks_uri: `${apiUrl()}/.well-known/jwks.json`,
      scopes_supported: oauthScopeNames,
      response_types_supported: [],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
      service_documentation: `${apiUrl()}/docs`,
    };
  });
  for (const path of resources) {
    app.get(`/.well-known/oauth-protected-resource${path}`, { config }, async (_request, reply) => {
      void reply.headers(headers);
      // No scopes_supported: clients that find it ask for all of them, and are refused those that they lack.
      return {
        resource: siteUrl() + path,
        authorization_servers: [siteUrl()],
        bearer_methods_supported: ['header'],
        resource_name: 'VerifyHuman',
        resource_documentation: `${apiUrl()}/docs`,
      };
    });
  }
}
