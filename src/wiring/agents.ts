/**
 * The tool interface for agents, put together.
 */
import type { FastifyInstance } from 'fastify';
import { readDocumentation } from '../agents/documentation.js';
import { registerMcp } from '../agents/mcp-routes.js';
import { prepareTools } from '../agents/tool-call.js';
import { agentTools } from '../agents/tools.js';
import type { Limits } from '../administration/request-limits.js';
import { packageRoot } from '../package-root.js';
import { apiPrefix } from './parts.js';

/** Longest that one call of a tool may take. */
const deadlineMs = 15_000;

export function serveAgents(
  app: FastifyInstance,
  deps: { readonly limits: Limits; readonly siteUrl: () => string; readonly version: string },
): void {
  const { limits, siteUrl, version } = deps;
  const tools = prepareTools(agentTools);
  const pages = readDocumentation(packageRoot);
  void app.register(async (scope) =>
    registerMcp(scope, { app, apiPrefix, deadlineMs, tools, pages, version, siteUrl, takeKeyRate: limits.takeKeyRate }),
  );
}
