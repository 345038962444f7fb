/**
 * Routes of links to the hosted page. Their paths name a project, whose own keys may use them like the dashboard and the organization’s
 * keys; demo keys may not. A link of another project is answered like one that does not exist.
 */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Access } from '../../http/access-declaration.js';
import { CreatedLinkReply, LinkCreation, LinkPage, LinkReply } from '../../contract/hosted-link.js';
import { PageQuery } from '../../contract/paging.js';
import { actorOf } from '../../administration/audit.js';
import { projectOwnerOf } from '../../http/access.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import { readPage } from '../../kernel/paging.js';
import { registerStorableText } from '../../http/json-body.js';
import type { LinkService } from './link-service.js';

const route = routesOf('Hosted page');
const collection = '/projects/:projectId/links';
const ProjectParams = Type.Object({ projectId: Type.String({ maxLength: 128 }) });
const LinkParams = Type.Object({
  projectId: Type.String({ maxLength: 128 }),
  linkId: Type.String({ maxLength: 128 }),
});

/** Reading and ending stays open when a trial has ended; making does not. */
const access = (scope: 'read' | 'write', role: 'member' | 'admin') =>
  ({
    credential: 'dashboard-or-key',
    role,
    scope: `verifications:${scope}`,
    project: 'projectId',
    modes: ['live', 'test'],
  }) as const satisfies Access;
const making: Access = access('write', 'admin');
const ending: Access = { ...making, afterTrial: true };
const reading: Access = { ...access('read', 'member'), afterTrial: true };

const example = {
  studyId: 'study-7',
  respondentId: 'a3f1c0de',
  metadata: { wave: 2 },
  expiresInDays: 14,
  maxUses: 1,
} as const satisfies LinkCreation;

export function registerLinkRoutes(app: FastifyInstance, service: LinkService): void {
  void app.register(async (scope) => {
    registerStorableText(scope);
    registerCollection(scope, service);
    registerItem(scope, service);
  });
}

function registerCollection(app: FastifyInstance, service: LinkService): void {
  app.post(
    collection,
    route(making, {
      operationId: 'createLink',
      summary: 'Make a link to the hosted verification page',
      description:
        'The service copies the link’s fields into its sessions. Links of a test key create test sessions. See docs/how-to/send-hosted-links.md.',
      params: ProjectParams,
      body: { ...LinkCreation, examples: [example] },
      response: { 201: CreatedLinkReply, ...errorReplies([400, 401, 402, 403, 404, 413, 415, 429]) },
    }),
    async (request, reply) =>
      reply.code(201).send(await service.create(actorOf(request), projectOwnerOf(request), request.body)),
  );
  app.get(
    collection,
    route(reading, {
      operationId: 'listLinks',
      summary: 'List the project’s links, newest first',
      description: 'For the next page, send nextCursor as cursor until it is null. Deleted ones are omitted.',
      params: ProjectParams,
      querystring: PageQuery,
      response: { 200: LinkPage, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => service.list(projectOwnerOf(request), readPage(request.query)),
  );
}

function registerItem(app: FastifyInstance, service: LinkService): void {
  app.get(
    `${collection}/:linkId`,
    route(reading, {
      operationId: 'getLink',
      summary: 'Read a link, and how often it was used',
      description: 'Known for a month after its end.',
      params: LinkParams,
      response: { 200: LinkReply, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => service.read(projectOwnerOf(request), request.params.linkId),
  );
  app.delete(
    `${collection}/:linkId`,
    route(ending, {
      operationId: 'deleteLink',
      summary: 'End a link',
      description: 'Its page says so from then on. Respondents who are under way may finish.',
      params: LinkParams,
      response: { 200: LinkReply, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => service.remove(projectOwnerOf(request), actorOf(request), request.params.linkId),
  );
}
