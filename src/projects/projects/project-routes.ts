/** Routes that list, read and change projects. A patch is merged under the project’s row lock, and checked as a whole. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { actorOf, recordAudit, type Actor } from '../../administration/audit.js';
import { findOrganization } from '../../administration/organization-store.js';
import {
  findProject,
  listProjects,
  showProject,
  updateProjectFields,
  type StoredProject,
} from '../../administration/project-store.js';
import { CallerId, Nullable } from '../../contract/common.js';
import { mergePatchOf } from '../../contract/merge-patch.js';
import { ListQuery, pageFields } from '../../contract/paging.js';
import {
  ProjectPatch,
  ProjectReply,
  type ProjectReply as Shown,
  SigningSecretReply,
  SigningSecretRotation,
} from '../../contract/project.js';
import { pointerSegment } from '../../errors.js';
import { organizationOf } from '../../http/access.js';
import type { Access } from '../../http/access-declaration.js';
import { errorReplies } from '../../http/openapi.js';
import { invalid, notFound } from '../../kernel/faults.js';
import { readPage } from '../../kernel/paging.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { AdministrationDeps } from '../deps.js';
import { examples } from '../examples.js';
import { revokeDemoKeys } from '../keys/key-store.js';
import { checkProject, requireBrandingTier, resolveAlias } from './project-checks.js';
import { registerProjectCreation, ProjectParams, projectManagement, projectRoute } from './project-creation-routes.js';
import { findConsentWarnings } from './provisioning.js';
import { applyPatch, changedPaths, changedValues, readOnlyIssues, splitPatch } from './project-patch.js';
import { acceptEmptyBodies, optionalBody } from '../../http/json-body.js';

const listing = {
  credential: 'dashboard-or-organization-key',
  modes: ['live', 'test'],
  role: 'member',
  scope: 'projects:read',
  oauth: ['projects:write', 'analytics:read'],
} as const;
const reading: Access = { ...listing, project: 'projectId' };
const changing: Access = { ...projectManagement, modes: ['live'], project: 'projectId' };
const securing: Access = {
  credential: 'dashboard-or-organization-key',
  modes: ['live'],
  role: 'admin',
  scope: 'projects:write',
  project: 'projectId',
};

export function registerProjectRoutes(app: FastifyInstance, deps: AdministrationDeps): void {
  registerProjectCreation(app, deps);
  registerReading(app, deps);
  registerChange(app, deps);
  void app.register(async (scope) => registerSigningSecret(scope, deps));
}

function registerReading(app: FastifyInstance, deps: AdministrationDeps): void {
  app.get(
    '/projects',
    projectRoute(listing, {
      operationId: 'listProjects',
      summary: 'List the organization’s projects, newest first',
      description: 'For the next page, send nextCursor as cursor until it is null.',
      querystring: ListQuery({
        ...pageFields,
        externalId: Type.Optional(CallerId('Only the project of this external id.')),
      }),
      response: {
        200: Type.Object({ projects: Type.Array(ProjectReply), nextCursor: Nullable(Type.String()) }),
        ...errorReplies([400, 401, 402, 403, 429]),
      },
    }),
    async (request) => {
      const organizationId = organizationOf(request);
      const page = readPage(request.query);
      const { items, nextCursor } = await inOrganization(deps.database, organizationId, (tx) =>
        listProjects(tx, organizationId, page, request.query.externalId ?? null),
      );
      return { projects: items.map(showProject), nextCursor };
    },
  );

  app.get(
    '/projects/:projectId',
    projectRoute(reading, {
      params: ProjectParams,
      operationId: 'getProject',
      summary: 'Read a project, defaults filled in',
      description:
        'Includes defaults. customThresholds and liteConfig.perSource show what was set; effective shows the result.',
      response: { 200: ProjectReply, ...errorReplies([400, 401, 402, 403, 404, 429]) },
    }),
    async (request) => {
      const project = await findProject(deps.database, request.params.projectId);
      if (project === null) throw notFound('project');
      return showWithNotes(deps, project);
    },
  );
}

/** The project, and what of it may be a mistake. The notes are a courtesy: where they cannot be had, the project is shown without. */
async function showWithNotes(deps: AdministrationDeps, project: StoredProject): Promise<Shown> {
  const { perSource, shadow } = project.fields.config?.liteConfig ?? {};
  const sources = Object.keys({ ...shadow?.perSource, ...perSource });
  const owner = { organizationId: project.organizationId, namespace: project.projectId };
  const silent = await deps.findSilentSources(owner, sources).catch(() => []);
  const isLive = (sourceId: string): boolean => Object.hasOwn(perSource ?? {}, sourceId);
  const notes = silent.map((sourceId) => ({
    path: `/config/liteConfig/${isLive(sourceId) ? '' : 'shadow/'}perSource/${pointerSegment(sourceId)}`,
    message: 'has no scored session yet. Check it against the `sourceId` of your scores.',
  }));
  notes.push(...redirectNotes(project));
  const warnings = await findConsentWarnings(deps, project);
  return { ...showProject(project), warnings, ...(notes.length === 0 ? {} : { notes }) };
}

/** One redirect URL without the other has no effect. */
function redirectNotes({ fields: { scoreModeConfig } }: StoredProject): readonly { path: string; message: string }[] {
  const names = ['redirectPassUrl', 'redirectFailUrl'] as const;
  const missing = names.filter((name) => scoreModeConfig?.[name] === undefined);
  const message = 'is not set, so respondents are not redirected. Set both redirect URLs, or neither.';
  return missing.length === 1 ? missing.map((name) => ({ path: `/scoreModeConfig/${name}`, message })) : [];
}

function registerChange(app: FastifyInstance, deps: AdministrationDeps): void {
  app.patch(
    '/projects/:projectId',
    projectRoute(changing, {
      params: ProjectParams,
      operationId: 'updateProject',
      summary: 'Change a project by merge patch',
      description:
        'Objects merge, arrays replace, null restores the default. You can send a read project unchanged. Changes apply on every instance within a second.',
      body: { ...mergePatchOf(ProjectPatch), examples: [examples.patch] },
      response: { 200: ProjectReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
    }),
    async (request) => {
      const patch = request.body as ProjectPatch;
      return showWithNotes(deps, await updateProject(deps, actorOf(request), request.params.projectId, patch));
    },
  );
}

async function updateProject(
  deps: AdministrationDeps,
  actor: Actor,
  projectId: string,
  patch: ProjectPatch,
): Promise<StoredProject> {
  const organizationId = await deps.directories.findProjectOwner(projectId);
  if (organizationId === null) throw notFound('project');
  const { change, readBack } = splitPatch(patch);
  const { updated, revoked } = await inOrganization(deps.database, organizationId, async (tx) => {
    const project = await findProject(tx, projectId, { lock: true });
    const organization = await findOrganization(tx, organizationId);
    if (project === null || organization === null) throw notFound('project');
    const alias = resolveAlias(change, project.fields.config?.allowedDomains ?? []);
    requireBrandingTier(change.branding, organization.tier, project.fields.branding);
    const { fields, issues } = checkProject(deps, applyPatch(project.fields, alias.change), alias.originsPath);
    const faults = [...readOnlyIssues(readBack, showProject(project)), ...alias.issues, ...issues];
    if (faults.length > 0) throw invalid(faults);
    await updateProjectFields(tx, projectId, fields);
    const revoked = fields.config?.demoKeys === false ? await revokeDemoKeys(tx, projectId) : [];
    const changed = changedPaths(change);
    const values = changedValues(changed, showProject(project), showProject({ ...project, fields }));
    await recordAudit(tx, actor, {
      organizationId,
      action: 'project.updated',
      subject: { kind: 'project', id: projectId },
      detail: { changed, ...values },
    });
    return { updated: { ...project, fields }, revoked };
  });
  deps.directories.projects.drop(projectId);
  revoked.forEach((hash) => deps.directories.dropKey(hash));
  return updated;
}

function registerSigningSecret(scope: FastifyInstance, deps: AdministrationDeps): void {
  acceptEmptyBodies(scope);
  scope.post(
    '/projects/:projectId/signing-secret/rotate',
    projectRoute(securing, {
      params: ProjectParams,
      operationId: 'rotateSigningSecret',
      summary: 'Replace the secret that signs the project’s verification tokens',
      description:
        'Tokens signed before verify until they expire, unless revokePrevious is true. The secret itself never leaves the service.',
      body: { ...optionalBody(SigningSecretRotation), examples: [{ revokePrevious: false }] },
      response: { 200: SigningSecretReply, ...errorReplies([400, 401, 402, 403, 404, 413, 415, 429]) },
    }),
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
