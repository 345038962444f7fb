/**
 * The console at /console: its page, its files, and the session that signs it in. The page reads everything else from the public API with the
 * session’s dashboard token, so the API itself takes no cookie. Calls that come from another origin are refused.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Fault } from '../errors.js';
import { registerOpen } from '../http/access.js';
import type { ConsoleSessions, StartedSession } from './console-sessions.js';
import { readCookie, sessionCookie, setCookie } from './cookies.js';
import { registerOidcRoutes, type OidcRouteDeps } from './oidc-routes.js';
import type { OidcSignIn } from './oidc-sign-in.js';

export interface ConsoleRouteDeps extends Pick<OidcRouteDeps, 'takeStep'> {
  readonly sessions: ConsoleSessions;
  /** null: nobody signs in at an identity provider. */
  readonly oidc: OidcSignIn | null;
  readonly siteUrl: () => string;
  /** Addresses at which the page finds the API and the studies. */
  readonly baseUrl: () => string;
  readonly audienceUrl: () => string;
  /** Folder of the built page. */
  readonly directory: string;
}

/** Nothing inline. Charts draw on canvases and set styles by script, which the policy allows. */
const pagePolicy = (connect: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${["'self'", ...connect].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const hidden = { schema: { hide: true } } as const;

export async function registerConsoleRoutes(app: FastifyInstance, deps: ConsoleRouteDeps): Promise<void> {
  const { sessions, siteUrl, directory } = deps;
  await registerOpen(app, async (scope) => {
    await scope.register(fastifyStatic, {
      root: join(directory, 'assets'),
      prefix: '/console/assets/',
      decorateReply: false,
      index: false,
      preCompressed: true,
      setHeaders: (reply) => void reply.header('cache-control', 'no-cache'),
    });

    const sendPage = async (_request: FastifyRequest, reply: FastifyReply): Promise<string> => {
      const policy = pagePolicy([new URL(deps.audienceUrl()).origin]);
      void reply.header('content-security-policy', policy).type('text/html; charset=utf-8');
      return readFile(join(directory, 'index.html'), 'utf8');
    };
    scope.get('/console', hidden, sendPage);
    scope.get('/console/*', hidden, sendPage);

    const cookieOf = ({ token, seconds }: StartedSession): string =>
      setCookie(sessionCookie, siteUrl(), token, seconds);
    const signedIn = (reply: FastifyReply, session: StartedSession): Record<string, never> => {
      void reply.header('set-cookie', cookieOf(session));
      return {};
    };
    const own = { onRequest: async (request: FastifyRequest) => requireOwnOrigin(request, siteUrl()) };

    scope.get('/console/sign-in', hidden, async () => ({ links: sessions.takesLinks, provider: deps.oidc !== null }));
    if (deps.oidc !== null) registerOidcRoutes(scope, { ...deps, oidc: deps.oidc, start: sessions.start, cookieOf });
    scope.post(
      '/console/sign-in',
      { ...own, schema: { hide: true, body: Type.Object({ link: Type.String({ maxLength: 4_096 }) }) } },
      async (request, reply) => signedIn(reply, await sessions.useLink(request.body.link)),
    );
    scope.post('/console/token', { ...own, ...hidden }, async (request) => ({
      ...(await sessions.tokenOf(readCookie(sessionCookie, siteUrl(), request.headers.cookie))),
      baseUrl: deps.baseUrl(),
      audienceUrl: deps.audienceUrl(),
    }));
    scope.post('/console/sign-out', { ...own, ...hidden }, async (request, reply) => {
      // The browser loses its cookie even if the session can’t be ended.
      const answer = signedIn(reply, { token: '', seconds: 0 });
      await sessions.end(readCookie(sessionCookie, siteUrl(), request.headers.cookie));
      return answer;
    });
  });
}

/** Browsers name where a call comes from; in doubt the origin has to be this service’s. */
async function requireOwnOrigin({ headers }: FastifyRequest, siteUrl: string): Promise<void> {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin === new URL(siteUrl).origin : site === 'same-origin';
  if (!isOwn) throw new Fault('ORIGIN_NOT_ALLOWED', `The console has another address. Open ${siteUrl}/console.`);
}
