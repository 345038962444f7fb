/**
 * OAuth clients for tests against a service: made by the organization’s owner, with a token got as any client gets one.
 */
import { loadMasterKey } from '../../src/crypto/master-key.js';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import { oauthScopeNames, type MadeOAuthClient } from '../../src/contract/oauth.js';
import type { TestService } from './service.js';

type Service = Pick<TestService, 'call' | 'bootstrap' | 'dataDirectory'>;
type Headers = Readonly<Record<string, string>>;

export interface TokenAnswer {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly body: {
    readonly access_token?: string;
    readonly token_type?: string;
    readonly expires_in?: number;
    readonly scope?: string;
    readonly error?: string;
    readonly error_description?: string;
  };
}

export async function ownerOf(service: Service): Promise<Headers> {
  const token = await issueDashboardToken(loadMasterKey(service.dataDirectory), {
    organizationId: service.bootstrap.organizationId,
    role: 'owner',
    lifetimeSeconds: 600,
  });
  return { authorization: `Bearer ${token}` };
}

export async function makeClient(
  service: Service,
  creation: { readonly scopes?: readonly string[]; readonly jwks?: object } = {},
): Promise<MadeOAuthClient & { readonly clientSecret: string }> {
  const answer = await service.call('POST', `/organizations/${service.bootstrap.organizationId}/oauth-clients`, {
    body: { name: 'Test', scopes: oauthScopeNames, ...creation },
    headers: await ownerOf(service),
  });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

export const basic = (clientId: string, secret: string): Headers => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

/** Posts a form to the token endpoint, `grant_type` included unless another is given. */
export async function askForToken(
  siteUrl: string,
  form: Readonly<Record<string, string>> | string,
  headers: Headers = {},
): Promise<TokenAnswer> {
  const response = await fetch(`${siteUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body:
      typeof form === 'string' ? form : new URLSearchParams({ grant_type: 'client_credentials', ...form }).toString(),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as TokenAnswer['body'] };
}

/** The headers of a client with a fresh token. */
export async function bearerOf(
  siteUrl: string,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  form: Readonly<Record<string, string>> = {},
): Promise<{ readonly authorization: string }> {
  const { body } = await askForToken(siteUrl, form, basic(clientId, clientSecret));
  if (body.access_token === undefined) throw new Error(JSON.stringify(body));
  return { authorization: `Bearer ${body.access_token}` };
}
