/**
 * Routes of projects. This file lists, reads and changes them.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { actorOf, recordAudit } from '../../administration/audit.js';
import { findProject, listProjects, showProject, type StoredProject } from '../../administration/project-store.js';
import { CallerId, Nullable } from '../../contract/common.js';
import { mergePatchOf } from '../../contract/merge-patch.js';
import { ListQuery, pageFields } from '../../contract/paging.js';
import {
  ProjectChange,
  ProjectReply,
  type ProjectReply as Shown,
  SigningSecretReply,
  SigningSecretRotation,
} from '../../contract/project.js';
import { pointerSegment } from '../../errors.js';
import { organizationOf } from '../../http/access.js';
import { errorReplies } from '../../http/openapi.js';
import { notFound } from '../../kernel/faults.js';
import { readPage } from '../../kernel/paging.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { AdministrationDeps } from '../deps.js';
import { examples } from '../examples.js';
import { registerProjectCreation, ProjectParams, projectManagement, projectTags } from './project-creation-routes.js';
import { changedPaths } from './project-patch.js';
import { updateProject } from './project-update.js';
import { acceptEmptyBodies, optionalBody } from '../../http/json-body.js';

export function registerProjectRoutes(app: FastifyInstance, deps: AdministrationDeps): void {
  registerProjectCreation(app, deps);
  registerReading(app, deps);
  registerChange(app, deps);
  void app.register(async (scope) => registerSigningSecret(scope, deps));
}

function registerReading(app: FastifyInstance, deps: AdministrationDeps): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();

  typed.get(
    '/projects',
    {
      config: {
        access: {
          credential: 'dashboard-or-organization-key',
          role: 'member',
          scope: 'projects:read',
          oauth: ['projects:write', 'analytics:read'],
        },
      },
      schema: {
        tags: projectTags,
        operationId: 'listProjects',
        summary: 'List the organization’s projects, newest first',
        description: 'A page at a time: pass nextCursor on as cursor until it is null.',
        querystring: ListQuery({
          ...pageFields,
          externalId: Type.Optional(CallerId('Only the project of this external id.')),
        }),
        response: {
          200: Type.Object({ projects: Type.Array(ProjectReply), nextCursor: Nullable(Type.String()) }),
          ...errorReplies([400, 401, 402, 403, 429]),
        },
      },
    },
    async (request) => {
      const organizationId = organizationOf(request);
      const page = readPage(request.query);
      const { items, nextCursor } = await inOrganization(deps.database, organizationId, (tx) =>
        listProjects(tx, organizationId, page, request.query.externalId ?? null),
      );
      return { projects: items.map(showProject), nextCursor };
    },
  );

  typed.get(
    '/projects/:projectId',
    {
      config: {
        access: {
          credential: 'dashboard-or-organization-key',
          role: 'member',
          scope: 'projects:read',
          oauth: ['projects:write', 'analytics:read'],
          project: 'projectId',
        },
      },
      schema: {
        tags: projectTags,
        params: ProjectParams,
        operationId: 'getProject',
        summary: 'Read a project, defaults filled in',
        description: 'Shows every setting as it is in force, whether it was set or not.',
        response: { 200: ProjectReply, ...errorReplies([400, 401, 402, 403, 404, 429]) },
      },
    },
    async (request) => {
      const project = await findProject(deps.database, request.params.projectId);
      if (project === null) throw notFound('project');
      return showWithNotes(deps, project);
    },
  );
}

/** The project, and what of it may be a mistake. The notes are a courtesy: where they cannot be had, the project is shown without. */
async function showWithNotes(deps: AdministrationDeps, project: StoredProject): Promise<Shown> {
  const sources = Object.keys(project.fields.config?.liteConfig?.perSource ?? {});
  const owner = { organizationId: project.organizationId, namespace: project.projectId };
  const silent = await deps.findSilentSources(owner, sources).catch(() => []);
  const notes = silent.map((sourceId) => ({
    path: `/config/liteConfig/perSource/${pointerSegment(sourceId)}`,
    message: 'No session of this source was scored yet: compare it with the sourceId of your scores.',
  }));
  return { ...showProject(project), ...(notes.length === 0 ? {} : { notes }) };
}

function registerChange(app: FastifyInstance, deps: AdministrationDeps): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();

  typed.patch(
    '/projects/:projectId',
    {
      config: { access: { ...projectManagement, project: 'projectId' } },
      schema: {
        tags: projectTags,
        params: ProjectParams,
        operationId: 'updateProject',
        summary: 'Change a project by merge patch',
        description:
          'Objects merge, arrays replace, null goes back to the default. In force on every instance within a second.',
        body: { ...mergePatchOf(ProjectChange), examples: [examples.patch] },
        response: { 200: ProjectReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
      },
    },
    async (request) => {
      const patch = request.body as ProjectChange;
      return showWithNotes(
        deps,
        await updateProject(deps, actorOf(request), request.params.projectId, patch, changedPaths(patch)),
      );
    },
  );
}

function registerSigningSecret(scope: FastifyInstance, deps: AdministrationDeps): void {
  acceptEmptyBodies(scope);
  scope.withTypeProvider<TypeBoxTypeProvider>().post(
    '/projects/:projectId/signing-secret/rotate',
    {
      config: {
        access: {
          credential: 'dashboard-or-organization-key',
          role: 'admin',
          scope: 'projects:write',
          project: 'projectId',
        },
      },
      schema: {
        tags: projectTags,
        params: ProjectParams,
        operationId: 'rotateSigningSecret',
        summary: 'Replace the secret that signs the project’s verification tokens',
        description:
          'Tokens signed before verify until they expire, unless revokePrevious is true. The secret itself never leaves the service.',
        body: { ...optionalBody(SigningSecretRotation), examples: [{ revokePrevious: false }] },
        response: { 200: SigningSecretReply, ...errorReplies([400, 401, 402, 403, 404, 413, 415, 429]) },
      },
    },
    async (request) => {
      const { projectId } = request.params;
      const organizationId = organizationOf(request);
      const revokePrevious = request.body?.revokePrevious ?? false;
      const { version, rotatedAt } = await inOrganization(deps.database, organizationId, async (tx) => {
        if ((await findProject(tx, projectId, { lock: true })) === null) throw notFound('project');
        const rotated = await deps.signingSecrets.rotate(tx, { organizationId, projectId }, revokePrevious);
        await recordAudit(tx, actorOf(request), {
          organizationId,
          action: 'project.signing_secret_rotated',
          subject: { kind: 'project', id: projectId },
          detail: { version: rotated.version, revokePrevious },
        });
        return rotated;
      });
      deps.directories.projects.drop(projectId);
      return { projectId, version, rotatedAt: rotatedAt.toISOString() };
    },
  );
}
