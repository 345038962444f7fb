/**
 * Sign-in at an OpenID Connect provider: authorization code with PKCE. What an attempt has to prove on its return stays in a cookie of the browser
 * that began it, so any process can finish it, and a return that another browser began is refused.
 */
import * as client from 'openid-client';
import { dashboardCallerOf } from '../administration/dashboard-claims.js';
import { Fault } from '../errors.js';
import type { DashboardCaller } from '../kernel/caller.js';
import { SignInError } from './sign-in-error.js';

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** null: a public client, which PKCE alone protects. */
  readonly clientSecret: string | null;
  /** Scopes to ask for, separated by spaces. */
  readonly scopes: string;
}

interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** For each request to the provider. */
const deadlineSeconds = 5;

export type OidcSignIn = ReturnType<typeof createOidcSignIn>;

export function createOidcSignIn(settings: OidcSettings, redirectUri: () => string) {
  let known: Promise<client.Configuration> | null = null;
  /** Asked for once, also where several sign in at once; a provider that did not answer is asked again. */
  const configuration = (): Promise<client.Configuration> =>
    (known ??= discover(settings).catch((error: unknown) => {
      known = null;
      throw error;
    }));

  return {
    /** Address of the provider to go to, and the attempt for the browser to keep. Throws a SignInError. */
    async begin(): Promise<{ readonly url: string; readonly attempt: string }> {
      const config = await configuration();
      const attempt: Attempt = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri(),
        scope: settings.scopes,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, attempt: Buffer.from(JSON.stringify(attempt)).toString('base64url') };
    },

    /** The person whom the provider’s answer names. `query` is that of the return. Throws a SignInError. */
    async finish(query: string, kept: string | null): Promise<DashboardCaller> {
      const attempt = readAttempt(kept);
      if (attempt === null) throw new SignInError('expired');
      const config = await configuration();
      const returned = new URL(redirectUri());
      returned.search = query;
      const tokens = await client
        .authorizationCodeGrant(config, returned, {
          pkceCodeVerifier: attempt.verifier,
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          idTokenExpected: true,
        })
        .catch((error: unknown) => {
          throw new SignInError(isUnavailable(error) ? 'unavailable' : 'refused', { cause: error });
        });
      try {
        return dashboardCallerOf(tokens.claims() ?? {});
      } catch (error) {
        if (error instanceof Fault) throw new SignInError('claims', { cause: error });
        throw error;
      }
    },
  };
}

/** Reads the provider’s metadata. Signatures of its tokens are checked even where TLS already vouches for them. */
async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<client.Configuration> {
  const execute = [
    client.enableNonRepudiationChecks,
    ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
  ];
  const options = { execute, timeout: deadlineSeconds };
  try {
    const server = new URL(issuer);
    if (clientSecret === null) return await client.discovery(server, clientId, undefined, client.None(), options);
    const found = await client.discovery(server, clientId, clientSecret, undefined, options);
    const methods = found.serverMetadata().token_endpoint_auth_methods_supported;
    // Providers that name no method take the header.
    if (methods?.includes('client_secret_post') === true) return found;
    const config = new client.Configuration(
      found.serverMetadata(),
      clientId,
      clientSecret,
      client.ClientSecretBasic(clientSecret),
    );
    config.timeout = deadlineSeconds;
    for (const apply of execute) apply(config);
    return config;
  } catch (error) {
    throw new SignInError('unavailable', { cause: error });
  }
}

function readAttempt(kept: string | null): Attempt | null {
  try {
    const read = JSON.parse(Buffer.from(kept ?? '', 'base64url').toString()) as Partial<Record<keyof Attempt, unknown>>;
    const { state, nonce, verifier } = read;
    return isText(state) && isText(nonce) && isText(verifier) ? { state, nonce, verifier } : null;
  } catch {
    return null;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** A provider that did not answer in time, could not be reached, or answered with an error of its own. */
function isUnavailable(error: unknown): boolean {
  const { name, code, cause } = error as { name?: string; code?: string; cause?: { status?: number } };
  if (name === 'TimeoutError' || name === 'TypeError' || code === 'OAUTH_TIMEOUT') return true;
  return typeof cause?.status === 'number' && cause.status >= 500;
}
