/** The console, put together: its sessions, and where its page finds what it reads. */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Limits } from '../administration/request-limits.js';
import { createConsoleVerifier } from '../administration/console-tokens.js';
import { createConsoleSessions } from '../console/console-sessions.js';
import { createEndedSessions } from '../console/ended-sessions.js';
import type { OidcSignIn } from '../console/oidc-sign-in.js';
import { registerConsoleRoutes } from '../console/routes.js';
import { packageRoot } from '../package-root.js';
import { apiPrefix, type Parts } from './parts.js';

export const serveConsole = async (
  app: FastifyInstance,
  { settings, masterKeys, stores: { database }, now }: Parts,
  {
    limits,
    siteUrl,
    audienceUrl,
  }: { readonly limits: Limits; readonly siteUrl: () => string; readonly audienceUrl: () => string },
): Promise<void> =>
  registerConsoleRoutes(app, {
    oidc: await createSignIn(settings, siteUrl),
    takeStep: (address) => limits.takeAddress('sign-ins', address),
    sessions: createConsoleSessions({
      ...{ masterKey: masterKeys.current, now },
      verify: createConsoleVerifier(masterKeys.current),
      ended: createEndedSessions({ database }),
      takesLinks: settings.DATABASE_URL === null,
    }),
    ...{ siteUrl, audienceUrl },
    baseUrl: () => siteUrl() + apiPrefix,
    directory: join(packageRoot, 'dist', 'console'),
  });

/** The library is loaded only by those who use it. */
async function createSignIn(settings: Parts['settings'], siteUrl: () => string): Promise<OidcSignIn | null> {
  const { VH_OIDC_ISSUER: issuer, VH_OIDC_CLIENT_ID: clientId, VH_OIDC_CLIENT_SECRET: clientSecret } = settings;
  if (issuer === null || clientId === null) return null;
  const { createOidcSignIn } = await import('../console/oidc-sign-in.js');
  const client = { issuer, clientId, clientSecret, scopes: settings.VH_OIDC_SCOPES };
  return createOidcSignIn(client, () => `${siteUrl()}/console/oidc/callback`);
}
