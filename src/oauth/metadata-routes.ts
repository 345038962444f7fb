/**
 * What a client discovers: the authorization server (RFC 8414) and the resources that take its tokens (RFC 9728), at the root of the site. Every
 * address in them comes from the settings, never from what a request says of its host.
 */
import type { FastifyInstance } from 'fastify';
import { assertionAlgorithms, oauthScopeNames } from '../contract/oauth.js';

export interface MetadataDeps {
  readonly siteUrl: () => string;
  /** The API root. */
  readonly apiUrl: () => string;
}

/** Paths below the site that take access tokens. */
const resources = ['', '/api/v1', '/mcp'] as const;
const headers = {
  'cache-control': 'public, max-age=3600',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
} as const;

export function registerMetadata(app: FastifyInstance, { siteUrl, apiUrl }: MetadataDeps): void {
  const config = { access: { credential: 'none' } } as const;
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
