/** The console, put together: its sessions, and where its page finds what it reads. */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createConsoleVerifier } from '../administration/console-tokens.js';
import { createConsoleSessions } from '../console/console-sessions.js';
import { registerConsoleRoutes } from '../console/routes.js';
import { packageRoot } from '../package-root.js';
import { apiPrefix, type Parts } from './parts.js';

export const serveConsole = (
  app: FastifyInstance,
  { settings, masterKeys, now }: Parts,
  { siteUrl, audienceUrl }: { readonly siteUrl: () => string; readonly audienceUrl: () => string },
): Promise<void> =>
  registerConsoleRoutes(app, {
    sessions: createConsoleSessions({
      ...{ masterKey: masterKeys.current, now },
      verify: createConsoleVerifier(masterKeys.current),
      takesLinks: settings.DATABASE_URL === null,
    }),
    ...{ siteUrl, audienceUrl },
    baseUrl: () => siteUrl() + apiPrefix,
    directory: join(packageRoot, 'dist', 'console'),
  });
