/** Sign-in at the identity provider: to it, and back from it. People see both, so a failure leads to the console, which says why. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DashboardCaller } from '../kernel/caller.js';
import type { Address } from '../net/address.js';
import type { StartedSession } from './console-sessions.js';
import { attemptCookie, readCookie, setCookie } from './cookies.js';
import type { OidcSignIn } from './oidc-sign-in.js';
import { SignInError } from './sign-in-error.js';

export interface OidcRouteDeps {
  readonly oidc: OidcSignIn;
  /** Takes a step of a sign-in off the limit of its address: anybody may make one, and each may ask the provider. Throws if it is used up. */
  readonly takeStep: (address: Address | null) => Promise<void>;
  readonly siteUrl: () => string;
  readonly start: (caller: DashboardCaller) => Promise<StartedSession>;
  /** Header value that sets the cookie of a session. */
  readonly cookieOf: (session: StartedSession) => string;
}

/** How long somebody may take to sign in at the provider. */
const attemptSeconds = 600;
const hidden = { schema: { hide: true } } as const;

export function registerOidcRoutes(scope: FastifyInstance, deps: OidcRouteDeps): void {
  const { oidc, siteUrl, start, cookieOf } = deps;
  const takeStep = ({ clientAddress }: FastifyRequest): Promise<void> =>
    deps.takeStep(clientAddress).catch((cause: unknown) => {
      throw new SignInError('limited', { cause });
    });
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!(error instanceof SignInError)) throw error;
    const { failure, cause } = error;
    if (failure !== 'expired')
      request.log.warn({ requestId: request.id, failure, reason: reasonOf(cause) }, 'a sign-in to the console failed');
    return reply.redirect(`${siteUrl()}/console#refused=${failure}`, 303);
  };

  scope.get('/console/oidc/start', hidden, async (request, reply) => {
    try {
      await takeStep(request);
      const { url, attempt } = await oidc.begin();
      return reply
        .header('set-cookie', setCookie(attemptCookie, siteUrl(), attempt, attemptSeconds))
        .redirect(url, 303);
    } catch (error) {
      return refuse(error, request, reply);
    }
  });

  scope.get('/console/oidc/callback', hidden, async (request, reply) => {
    void reply.header('set-cookie', setCookie(attemptCookie, siteUrl(), '', 0));
    try {
      await takeStep(request);
      const query = request.url.slice(request.url.indexOf('?') + 1);
      const kept = readCookie(attemptCookie, siteUrl(), request.headers.cookie);
      const session = await start(await oidc.finish(query, kept));
      return reply.header('set-cookie', cookieOf(session)).redirect(`${siteUrl()}/console`, 303);
    } catch (error) {
      return refuse(error, request, reply);
    }
  });
}

/** The code of a failure, without what the provider sent. */
const reasonOf = (cause: unknown): string => {
  const { code, error, name } = (cause ?? {}) as { code?: string; error?: string; name?: string };
  return error ?? code ?? name ?? 'unknown';
};
