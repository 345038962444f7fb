/** The tool interface for agents, put together. */
import type { FastifyInstance } from 'fastify';
import type { Directories } from '../administration/directories.js';
import { readDocumentation } from '../agents/documentation.js';
import { registerMcp } from '../agents/mcp-routes.js';
import { prepareTools } from '../agents/tool-call.js';
import { agentTools } from '../agents/all-tools.js';
import type { Limits } from '../administration/request-limits.js';
import { registerStudyRoutes } from '../audience/study-routes.js';
import { createApp, type AppDeps } from '../http/app.js';
import { packageRoot } from '../package-root.js';
import { apiPrefix, audiencePrefix, type Parts } from './parts.js';
import { wireStudies } from './studies.js';

/** Longest that one call of a tool may take. */
const deadlineMs = 15_000;

export interface AgentDeps {
  readonly limits: Limits;
  readonly directories: Directories;
  readonly siteUrl: () => string;
  /** The root of the audience API, wherever it runs. */
  readonly audienceUrl: () => string;
  readonly version: string;
  readonly appDeps: AppDeps;
}

export function serveAgents(app: FastifyInstance, parts: Parts, deps: AgentDeps): void {
  const { limits, siteUrl, version } = deps;
  const tools = prepareTools(agentTools);
  const pages = readDocumentation(packageRoot);
  const callees = {
    api: { app, prefix: apiPrefix },
    audience: { app: openStudies(parts, deps), prefix: audiencePrefix },
  };
  void app.register(async (scope) =>
    registerMcp(scope, { ...callees, deadlineMs, tools, pages, version, siteUrl, takeKeyRate: limits.takeKeyRate }),
  );
}

/** The routes of studies without a listener: the audience API may run in another process. */
function openStudies(parts: Parts, { appDeps, directories, audienceUrl }: AgentDeps): FastifyInstance {
  const { stores, opened } = parts;
  const app = createApp(appDeps);
  opened.push(() => app.close());
  const studies = wireStudies(parts, { directories, audienceUrl });
  void app.register(async (scope) => registerStudyRoutes(scope, { database: stores.database, studies }), {
    prefix: audiencePrefix,
  });
  return app;
}
