/**
 * The hosted page, put together: links from the shared store, results from verification.
 */
import type { FastifyInstance } from 'fastify';
import type { Directories } from '../administration/directories.js';
import type { DecideOrigin } from '../administration/origin-decision.js';
import { registerLinkRoutes } from '../verification/hosted/link-routes.js';
import { createLinkService, createReturnCheck } from '../verification/hosted/link-service.js';
import { registerHostedPage } from '../verification/hosted/page-routes.js';
import { createLinkedResults } from '../verification/results/result-service.js';
import type { VerificationRouteDeps } from '../verification/routes.js';
import { apiPrefix, modelsUrlOf, type Parts } from './parts.js';

export interface HostedDeps {
  readonly directories: Directories;
  readonly decide: DecideOrigin;
  readonly verification: VerificationRouteDeps;
  readonly siteUrl: () => string;
}

/** Registers the routes of links below the API root, and the page at the site’s. */
export async function serveHosted(
  app: FastifyInstance,
  { settings, stores, now }: Parts,
  { directories, decide, verification, siteUrl }: HostedDeps,
): Promise<void> {
  const rules = { isAllowed: createReturnCheck(decide), environment: settings.VH_ENV };
  const common = { database: stores.database, directories, now };
  const links = createLinkService({ ...common, ...rules, siteUrl });
  await app.register(async (api) => registerLinkRoutes(api, links), { prefix: apiPrefix });
  await registerHostedPage(app, {
    ...common,
    ...rules,
    finish: createLinkedResults(verification),
    baseUrl: () => siteUrl() + apiPrefix,
    modelsUrl: () => modelsUrlOf(settings, siteUrl()),
  });
}
