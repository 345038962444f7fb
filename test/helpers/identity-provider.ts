/** An OpenID Connect provider of its own for a test: oidc-provider with its development pages, where any name signs in. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import type t from 'tap';

export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  stop(): Promise<void>;
}

/** `claims` names what the ID token says of a signed-in name; `redirectUri` is where the console listens. */
export async function startIdentityProvider(
  test: Pick<typeof t, 'teardown'>,
  redirectUri: string,
  claims: (name: string) => Readonly<Record<string, unknown>>,
): Promise<IdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['console', 'a-secret-of-the-test-alone-0123456789'];
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub', 'org_id', 'role'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['a-key-of-the-test'] },
    findAccount: (_context, name) => ({ accountId: name, claims: () => ({ sub: name, ...claims(name) }) }),
  });
  const handle = provider.callback();
  server.on('request', (request, response) => void handle(request, response));
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  test.teardown(stop);
  return { issuer, clientId, clientSecret, stop };
}
