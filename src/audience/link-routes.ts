/** Routes of entry links: signed in bulk for a supplier, and one tried. */
import type { FastifyInstance } from 'fastify';
import { Invitations, invitationsMax, InvitationsReply, LinkCheck, LinkCheckReply } from '../contract/supplier.js';
import { keyCaller } from '../http/access.js';
import { registerStorableText } from '../http/json-body.js';
import { errorReplies, routesOf } from '../http/openapi.js';
import { invitationsExample, linkCheckExample } from './examples.js';
import type { LinkService } from './link-service.js';
import { access, item, StudyParams, working } from './study-routes.js';

export function registerLinkRoutes(app: FastifyInstance, links: LinkService): void {
  void app.register(async (scope) => {
    registerStorableText(scope);
    registerLinks(scope, links);
  });
}

function registerLinks(app: FastifyInstance, links: LinkService): void {
  app.post(
    `${item}/invitations`,
    routesOf('Studies')(working, {
      operationId: 'createInvitations',
      summary: 'Make signed entry links in bulk',
      description: `Signs links for at most ${invitationsMax} respondents per call. Nothing is stored, and the supplier’s secret creates the same links.`,
      params: StudyParams,
      body: { ...Invitations, examples: [invitationsExample] },
      response: { 200: InvitationsReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
    }),
    async (request) => links.invite(keyCaller(request), request.params.studyId, request.body),
  );
  app.post(
    '/supply/links',
    routesOf('Supply')(access, {
      operationId: 'checkLink',
      summary: 'Check an entry link, and read all that is wrong with it',
      description: 'Checks a link without an entry. A respondent with the same link sees a page without the reason.',
      body: { ...LinkCheck, examples: [linkCheckExample] },
      response: { 200: LinkCheckReply, ...errorReplies([400, 401, 403, 413, 415, 429]) },
    }),
    async (request) => links.check(keyCaller(request), request.body.url),
  );
}
