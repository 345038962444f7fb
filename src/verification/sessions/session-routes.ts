/**
 * Routes that create sessions: of a page, of a backend, and retries of failed ones.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { notFound, invalid } from '../../kernel/faults.js';
import { modeOf, type KeyCaller } from '../../kernel/caller.js';
import { sessionModes } from '../../contract/common.js';
import { PublicSessionCreation, SessionCreation, SessionReply, SessionId } from '../../contract/session.js';
import type { Access } from '../../http/access-declaration.js';
import { keyCaller } from '../../http/access.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import type { Directories } from '../../administration/directories.js';
import type { HostedLink } from '../../administration/hosted-links.js';
import { answerPreflights, readSiteKey } from '../../administration/public-guard.js';
import { open, registerReadable, type PublicSessionDeps } from '../public-sessions.js';
import { findNamedLink, requireAlive, requireLinkMode, throughLink } from './linked-sessions.js';
import type { SessionOwner, SessionService } from './session-service.js';
import { acceptEmptyBodies, optionalBody } from '../../http/json-body.js';
import type { SessionProofs } from './session-proofs.js';
import { findSession, isProofSpent, type StoredSession } from './session-store.js';
import { wasOnDevice } from '../uniqueness/fingerprint-store.js';

export interface SessionRouteDeps extends PublicSessionDeps {
  readonly sessions: SessionService;
  readonly proofs: SessionProofs;
  readonly directories: Pick<Directories, 'projects' | 'organizations'>;
  readonly deviceRefOf: (organizationId: string, token: string) => string;
  readonly now: () => number;
  /** A site key that works, for the example; null where there is no demo organization. */
  readonly exampleSiteKey: string | null;
}

const route = routesOf('Sessions');
const creating: Access = { credential: 'api-key', modes: sessionModes, scope: 'verifications:write' };
const exampleBody = {
  studyId: 'study-7',
  respondentId: 'a3f1c0de',
  metadata: { wave: 2 },
  dataCollector: 'panel-north',
};

export function registerSessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  void app.register(async (scope) => registerPublicCreation(scope, deps));
  registerCreation(app, deps);
}

function registerPublicCreation(scope: FastifyInstance, deps: SessionRouteDeps): void {
  registerReadable(scope);
  answerPreflights(scope, '/public/sessions', 'POST');
  scope.post(
    '/public/sessions',
    route(open, {
      operationId: 'createPublicSession',
      summary: 'Create a verification session, from the page',
      description:
        'The page’s origin must be allowed. An address that makes many sessions gets 428 with a `proof` to solve; repeat the call with it. With previousSessionId the session is a retry: send the failed session’s clientSecret as previousClientSecret, or the deviceToken of the browser that it failed in.',
      body: {
        ...PublicSessionCreation,
        examples: [{ siteKey: deps.exampleSiteKey ?? 'proj_of_yours', ...exampleBody }],
      },
      response: { 201: SessionReply, ...errorReplies([400, 401, 402, 403, 404, 409, 410, 413, 415, 428, 429]) },
    }),
    async (request, reply) => {
      const { siteKey, proof: solved, ...body } = request.body;
      const payer = { siteKey, address: request.clientAddress };
      const proof = deps.proofs.read(payer, solved);
      const { projectId } = readSiteKey(siteKey);
      const parent = await findParent(deps, body, (session) => session.projectId === projectId);
      const link = await findSessionLink(deps, projectId, body, parent).catch(async (error: unknown) => {
        await deps.limits.takeAddress('requests', request.clientAddress);
        throw error;
      });
      const visitor = await deps.guard.admit(request, reply, siteKey, { isLinked: link !== null, counts: 'requests' });
      const { project, organization } = visitor;
      const mode = visitor.mode === 'test' ? 'test' : (link?.mode ?? 'live');
      const creation = link === null ? body : throughLink(link, body);
      const asked = { project, organization, link, mode, asker: 'page' as const };
      deps.sessions.check(asked, creation);
      await deps.limits.requireTrial(organization.organizationId);
      await deps.proofs.charge(payer, proof);
      await deps.guard.countWork('sessions', visitor, request.clientAddress);
      await requireOwnRetry(deps, request.clientAddress, body, parent);
      requireLinkMode(link, mode);
      requireAlive(link, deps.now());
      const { deviceToken } = body;
      if (deviceToken !== undefined)
        await deps.limits.takeDevice(siteKey, deps.deviceRefOf(project.organizationId, deviceToken));
      if (link !== null) await deps.limits.takeLink(link, request.clientAddress);
      const owner = { ...asked, proof, diagnostics: false };
      const created = deps.sessions.create(owner, creation).catch((error: unknown) => {
        throw isProofSpent(error) ? deps.proofs.spent(payer) : error;
      });
      return reply.code(201).send(await created);
    },
  );
}

/** The session that is tried again; null for another caller’s, which is answered like one that does not exist. */
async function findParent(
  { database }: Pick<SessionRouteDeps, 'database'>,
  { previousSessionId }: Pick<SessionCreation, 'previousSessionId'>,
  isOwn: (session: StoredSession) => boolean,
): Promise<StoredSession | null> {
  const session = previousSessionId === undefined ? null : await findSession(database, previousSessionId);
  return session !== null && isOwn(session) ? session : null;
}

/** A retry comes through the link of the session that failed, whatever it names. */
const findSessionLink = (
  { database }: Pick<SessionRouteDeps, 'database'>,
  projectId: string,
  { previousSessionId, linkId }: Pick<SessionCreation, 'previousSessionId' | 'linkId'>,
  parent: StoredSession | null,
): Promise<HostedLink | null> =>
  findNamedLink(database, projectId, previousSessionId === undefined ? linkId : (parent?.linkId ?? undefined));

/** A page tries again what failed in it, or in the browser that it runs in. Throws INVALID_CLIENT_SECRET, the same where there is no such session. */
async function requireOwnRetry(
  { database, secrets, deviceRefOf }: SessionRouteDeps,
  address: FastifyRequest['clientAddress'],
  { previousSessionId, previousClientSecret, deviceToken }: Omit<PublicSessionCreation, 'siteKey' | 'proof'>,
  parent: StoredSession | null,
): Promise<void> {
  if (previousSessionId === undefined) return;
  if (parent !== null && deviceToken !== undefined) {
    const deviceRef = deviceRefOf(parent.organizationId, deviceToken);
    if (await wasOnDevice(database, parent, deviceRef)) return;
  }
  await secrets.check(address, previousClientSecret, parent, retryHint);
}

const retryHint = 'The retry is not authorized. Send `previousClientSecret`, or retry in the same browser.';

function registerCreation(app: FastifyInstance, deps: SessionRouteDeps): void {
  app.post(
    '/sessions',
    route(creating, {
      operationId: 'createSession',
      summary: 'Create a verification session, from your backend',
      description:
        'Like the public form, without an origin. A test or demo key creates a test session, which is not billed. Callers may request diagnostics if the key allows them.',
      body: {
        ...SessionCreation,
        examples: [{ ...(deps.exampleSiteKey === null ? {} : { siteKey: deps.exampleSiteKey }), ...exampleBody }],
      },
      response: { 201: SessionReply, ...errorReplies([400, 401, 402, 403, 404, 409, 410, 413, 415, 429]) },
    }),
    async (request, reply) => {
      const { siteKey, ...body } = request.body;
      const caller = keyCaller(request);
      const projectId = siteKey ?? caller.projectId;
      if (projectId === null)
        throw invalid([
          { path: '/siteKey', message: 'is required with an organization key. Send the project’s site key.' },
        ]);
      const owner = await ownerOf(deps, caller, projectId);
      const isOwn = (session: StoredSession) => session.projectId === projectId && isReachable(caller, session);
      const link = await findSessionLink(deps, projectId, body, await findParent(deps, body, isOwn));
      requireLinkMode(link, owner.mode);
      requireAlive(link, deps.now());
      const creation = link === null ? body : throughLink(link, body);
      return reply.code(201).send(await deps.sessions.create({ ...owner, link }, creation));
    },
  );
}

/** For whom a key creates sessions. Throws NOT_FOUND for a project that is not the key’s. */
async function ownerOf({ directories }: SessionRouteDeps, caller: KeyCaller, projectId: string): Promise<SessionOwner> {
  const isOwn = caller.projectId === null || caller.projectId === projectId;
  const project = isOwn && projectId.startsWith('proj_') ? await directories.projects.get(projectId) : null;
  const organization = await directories.organizations.get(caller.organizationId);
  if (project === null || organization === null || project.organizationId !== caller.organizationId)
    throw notFound('project');
  return {
    project,
    organization,
    mode: modeOf(caller),
    diagnostics: caller.diagnosticsEnabled,
    asker: 'backend',
    link: null,
  };
}

/** The route by which a backend tries a failed session again. */
export function registerRetryRoute(app: FastifyInstance, deps: SessionRouteDeps): void {
  void app.register(async (scope: FastifyInstance) => {
    acceptEmptyBodies(scope);
    scope.post(
      '/sessions/:sessionId/retry',
      route(creating, {
        operationId: 'retrySession',
        summary: 'Try a failed session again',
        description:
          'The new session has what the failed one was created with, in the project’s current widgetMode; its metadata describes the chain. At most config.maxRetries times in a chain.',
        params: Type.Object({ sessionId: SessionId }),
        body: { ...optionalBody(Type.Object({})), examples: [{}] },
        response: { 201: SessionReply, ...errorReplies([400, 401, 402, 403, 404, 409, 410, 413, 415, 429]) },
      }),
      async (request, reply) => {
        const caller = keyCaller(request);
        const parent = await findSession(deps.database, request.params.sessionId);
        if (parent === null || !isReachable(caller, parent)) throw notFound('session');
        const owner = await ownerOf(deps, { ...caller, projectId: null }, parent.projectId);
        const link = await findNamedLink(deps.database, parent.projectId, parent.linkId ?? undefined);
        requireAlive(link, deps.now());
        return reply.code(201).send(await deps.sessions.retry({ ...owner, link }, parent));
      },
    );
  });
}

/** The session belongs to the key’s organization, and to its mode. */
const isReachable = (caller: KeyCaller, session: StoredSession): boolean =>
  session.organizationId === caller.organizationId && session.mode === modeOf(caller);
