/** The route that lists the flags of a project. A test key sees those of test sessions; any other caller those of live ones. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { FlagPage, FlagQuery, type FlagReply } from '../../contract/monitoring.js';
import type { FlagEvent } from '../../contract/session-event.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { Access } from '../../http/access-declaration.js';
import { projectOwnerOf } from '../../http/access.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import { readPage } from '../../kernel/paging.js';
import type { Database } from '../../stores/database/port.js';
import { namespaceOf, type Namespace } from '../../stores/counters/namespace.js';
import { inOrganization } from '../../stores/database/tenant.js';
import { listFlags } from './flag-store.js';

const route = routesOf('Projects');
const reading: Access = {
  credential: 'dashboard-or-key',
  modes: ['live', 'test'],
  role: 'member',
  scope: 'verifications:read',
  oauth: ['verifications:read'],
  project: 'projectId',
  afterTrial: true,
};

export interface FlagRouteDeps {
  readonly database: Database;
  readonly makeRef: MakeRef;
  /** The sources of scored sessions, by their references. */
  readonly findSources: (
    owner: { readonly organizationId: string; readonly namespace: Namespace },
    sessionRefs: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>;
}

export function registerFlagRoute(app: FastifyInstance, { database, makeRef, findSources }: FlagRouteDeps): void {
  app.get(
    '/projects/:projectId/flags',
    route(reading, {
      operationId: 'listFlags',
      summary: 'List the flags of sessions, newest first',
      description:
        'Flags that config.monitoring raised in the last 7 days, with or without a webhook. For the next page, send nextCursor as cursor until it is null. See docs/how-to/flag-behavior.md.',
      params: Type.Object({ projectId: Type.String({ maxLength: 128 }) }),
      querystring: FlagQuery,
      response: { 200: FlagPage, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => {
      const { organizationId, projectId, mode } = projectOwnerOf(request);
      const { sessionId, event: type, ...page } = request.query;
      const refOf = (id: string): string => makeRef(projectId, 'session', id);
      const filter = {
        ...{ projectId, mode, type },
        sessionRef: sessionId === undefined ? undefined : refOf(sessionId),
      };
      const { items, nextCursor } = await inOrganization(database, organizationId, (tx) =>
        listFlags(tx, filter, readPage(page)),
      );
      const refs = items.map((flag) => refOf(flag.sessionId));
      const namespace = namespaceOf({ organizationId, projectId, isTest: mode === 'test' });
      const sources = await findSources({ organizationId, namespace }, refs);
      return { flags: items.map((flag, n) => describeFlag(flag, sources.get(refs[n] ?? '') ?? null)), nextCursor };
    },
  );
}

function describeFlag(flag: FlagEvent, sourceId: string | null): FlagReply {
  const { eventId: flagId, type: event, sessionId, occurredAt: flaggedAt, data } = flag;
  const common = { flagId, event, sessionId, sourceId, flaggedAt, respondentId: data.respondent_id };
  if (flag.type === 'monitoring.flagged') return { ...common, anomaly: flag.data.anomaly, question: null };
  const { question_id: questionId, ...question } = flag.data.question;
  return { ...common, anomaly: null, question: { questionId, ...question } };
}
