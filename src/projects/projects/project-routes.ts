/**
 * Routes of projects: provisioning, creating, listing, reading, changing, and rotating their signing secret.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { notFound, invalid } from '../../kernel/faults.js';
import type { Caller } from '../../kernel/caller.js';
import { CallerId, Nullable } from '../../contract/common.js';
import { mergePatchOf } from '../../contract/merge-patch.js';
import { ListQuery, pageFields } from '../../contract/paging.js';
import {
  ProjectChange,
  ProjectCreation,
  ProjectProvisioning,
  ProjectReply,
  ProvisioningReply,
  SigningSecretReply,
  SigningSecretRotation,
  type ProjectFields,
  type ProjectReply as Shown,
} from '../../contract/project.js';
import { Fault, pointerSegment } from '../../errors.js';
import { organizationOf } from '../../http/access.js';
import { errorReplies } from '../../http/openapi.js';
import type { AdministrationDeps } from '../deps.js';
import { actorOf, recordAudit } from '../../administration/audit.js';
import { examples } from '../examples.js';
import { findOrganization } from '../../administration/organization-store.js';
import { acceptEmptyBodies, optionalBody } from '../../http/optional-body.js';
import { readPage } from '../../kernel/paging.js';
import { changedPaths } from './project-patch.js';
import { checkProject, requireBrandingTier, resolveAlias } from './project-checks.js';
import { findProject, listProjects, showProject, type StoredProject } from '../../administration/project-store.js';
import { updateProject } from './project-update.js';
import { provisionProject } from './provisioning.js';
import { inOrganization } from '../../stores/database/tenant.js';

const tags = ['Projects'];
const ProjectParams = Type.Object({
  projectId: Type.String({ maxLength: 128, description: 'Project, also called site key.' }),
});

export function registerProjectRoutes(app: FastifyInstance, deps: AdministrationDeps): void {
  registerProvisioning(app, deps);
  registerCreation(app, deps);
  registerReading(app, deps);
  registerChange(app, deps);
  void app.register(async (scope) => registerSigningSecret(scope, deps));
}

/** Checks a creation, and returns it as it will be stored. */
function fieldsOf({ environment }: AdministrationDeps, creation: ProjectCreation): ProjectFields {
  const { issueApiKey: _issue, rotateApiKey: _rotate, ...change } = creation;
  const alias = resolveAlias(change);
  const { fields, issues } = checkProject(alias.change, { environment, originsPath: alias.originsPath });
  if (alias.issues.length + issues.length > 0) throw invalid([...alias.issues, ...issues]);
  return fields;
}

/** A project’s key may do more than any scope of an access token says, and outlives it. */
function requireOwnKeys(caller: Caller | null, { issueApiKey, rotateApiKey }: ProjectCreation): void {
  if (caller?.kind === 'key' && caller.client === true && (issueApiKey === true || rotateApiKey === true))
    throw new Fault(
      'INSUFFICIENT_SCOPE',
      'An access token makes no API keys. Leave issueApiKey and rotateApiKey away.',
    );
}

function registerProvisioning(app: FastifyInstance, deps: AdministrationDeps): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post(
    '/projects/provision',
    {
      config: { access: { credential: 'organization-key', scope: 'projects:write', oauth: ['projects:write'] } },
      schema: {
        tags,
        operationId: 'provisionProject',
        summary: 'Make a project, once for each externalId',
        description:
          'Calling again with the same externalId answers the existing project with 200 and changes nothing. issueApiKey adds a live key of the project, told once; rotateApiKey replaces it.',
        body: { ...ProjectProvisioning, examples: [examples.provision] },
        response: {
          200: ProvisioningReply,
          201: ProvisioningReply,
          ...errorReplies([400, 401, 402, 403, 413, 415, 429]),
        },
      },
    },
    async (request, reply) => {
      const body = request.body as ProjectCreation;
      requireOwnKeys(request.caller, body);
      const { created, reply: answer } = await provisionProject(
        deps,
        { caller: request.caller, actor: actorOf(request) },
        organizationOf(request),
        fieldsOf(deps, body),
        body,
      );
      return reply.code(created ? 201 : 200).send(answer);
    },
  );
}

/** Whoever may make a project may change it. */
const managing = {
  credential: 'dashboard-or-organization-key',
  role: 'admin',
  scope: 'projects:write',
  oauth: ['projects:write'],
} as const;

function registerCreation(app: FastifyInstance, deps: AdministrationDeps): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post(
    '/projects',
    {
      config: { access: managing },
      schema: {
        tags,
        operationId: 'createProject',
        summary: 'Make a project from the dashboard',
        description: 'As provisioning, and takes branding as well.',
        body: { ...ProjectCreation, examples: [examples.create] },
        response: {
          200: ProvisioningReply,
          201: ProvisioningReply,
          ...errorReplies([400, 401, 402, 403, 404, 413, 415, 429]),
        },
      },
    },
    async (request, reply) => {
      const organizationId = organizationOf(request);
      requireOwnKeys(request.caller, request.body);
      const fields = fieldsOf(deps, request.body);
      if (fields.branding !== undefined) {
        const organization = await findOrganization(deps.database, organizationId);
        if (organization === null) throw notFound('organization');
        requireBrandingTier(fields.branding, organization.tier);
      }
      const { created, reply: answer } = await provisionProject(
        deps,
        { caller: request.caller, actor: actorOf(request) },
        organizationId,
        fields,
        request.body,
      );
      return reply.code(created ? 201 : 200).send(answer);
    },
  );
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
        tags,
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
        tags,
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
    message: 'No session of this source was scored yet: compare the spelling with the sourceId of your scores.',
  }));
  return { ...showProject(project), ...(notes.length === 0 ? {} : { notes }) };
}

function registerChange(app: FastifyInstance, deps: AdministrationDeps): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();

  typed.patch(
    '/projects/:projectId',
    {
      config: { access: { ...managing, project: 'projectId' } },
      schema: {
        tags,
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
        tags,
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
