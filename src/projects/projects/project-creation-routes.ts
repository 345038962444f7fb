/** Routes that create projects: provisioning by an organization's backend, and creation from the dashboard. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../../administration/audit.js';
import { findOrganization } from '../../administration/organization-store.js';
import { ProjectCreation, ProjectProvisioning, ProvisioningReply, type ProjectFields } from '../../contract/project.js';
import { Fault } from '../../errors.js';
import { organizationOf } from '../../http/access.js';
import type { Access } from '../../http/access-declaration.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import type { Caller } from '../../kernel/caller.js';
import { invalid, notFound } from '../../kernel/faults.js';
import type { AdministrationDeps } from '../deps.js';
import { examples } from '../examples.js';
import { checkProject, requireBrandingTier, resolveAlias } from './project-checks.js';
import { provisionProject } from './provisioning.js';

export function registerProjectCreation(app: FastifyInstance, deps: AdministrationDeps): void {
  registerProvisioning(app, deps);
  registerCreation(app, deps);
}

/** Checks a creation, and returns it as it will be stored. */
function fieldsOf(deps: AdministrationDeps, creation: ProjectCreation): ProjectFields {
  const { issueApiKey: _issue, rotateApiKey: _rotate, ...change } = creation;
  const alias = resolveAlias(change);
  const { fields, issues } = checkProject(deps, alias.change, alias.originsPath);
  if (alias.issues.length + issues.length > 0) throw invalid([...alias.issues, ...issues]);
  return fields;
}

/** A project’s key may do more than any scope of an access token says, and outlives it. */
function requireOwnKeys(caller: Caller | null, { issueApiKey, rotateApiKey }: ProjectCreation): void {
  if (caller?.kind === 'key' && caller.client === true && (issueApiKey === true || rotateApiKey === true))
    throw new Fault(
      'INSUFFICIENT_SCOPE',
      'Access tokens can’t create API keys. Remove `issueApiKey` and `rotateApiKey`.',
    );
}

async function provision(
  deps: AdministrationDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  body: ProjectCreation,
  fields: ProjectFields,
): Promise<FastifyReply> {
  const asking = { caller: request.caller, actor: actorOf(request) };
  const { created, reply: answer } = await provisionProject(deps, asking, organizationOf(request), fields, body);
  return reply.code(created ? 201 : 200).send(answer);
}

function registerProvisioning(app: FastifyInstance, deps: AdministrationDeps): void {
  app.post(
    '/projects/provision',
    projectRoute(provisioning, {
      operationId: 'provisionProject',
      summary: 'Make a project, once for each externalId',
      description:
        'A call with the same externalId returns the existing project with 200 and changes nothing. issueApiKey adds a live key of the project, shown once; rotateApiKey replaces it.',
      body: { ...ProjectProvisioning, examples: [examples.provision] },
      response: {
        200: ProvisioningReply,
        201: ProvisioningReply,
        ...errorReplies([400, 401, 402, 403, 413, 415, 429]),
      },
    }),
    async (request, reply) => {
      const body = request.body as ProjectCreation;
      requireOwnKeys(request.caller, body);
      return provision(deps, request, reply, body, fieldsOf(deps, body));
    },
  );
}

function registerCreation(app: FastifyInstance, deps: AdministrationDeps): void {
  app.post(
    '/projects',
    projectRoute(projectManagement, {
      operationId: 'createProject',
      summary: 'Make a project from the dashboard',
      description: 'Like provisioning, and also accepts branding.',
      body: { ...ProjectCreation, examples: [examples.create] },
      response: {
        200: ProvisioningReply,
        201: ProvisioningReply,
        ...errorReplies([400, 401, 402, 403, 404, 413, 415, 429]),
      },
    }),
    async (request, reply) => {
      requireOwnKeys(request.caller, request.body);
      const fields = fieldsOf(deps, request.body);
      if (fields.branding !== undefined) {
        const organization = await findOrganization(deps.database, organizationOf(request));
        if (organization === null) throw notFound('organization');
        requireBrandingTier(fields.branding, organization.tier);
      }
      return provision(deps, request, reply, request.body, fields);
    },
  );
}

export const projectRoute = routesOf('Projects');

const provisioning: Access = {
  ...{ credential: 'organization-key', scope: 'projects:write', oauth: ['projects:write'] },
  modes: ['live', 'test'],
};

export const ProjectParams = Type.Object({
  projectId: Type.String({ maxLength: 128, description: 'Project, also called site key.' }),
});

/** Access to creation, and to changes except for test keys: the settings of a project govern its live data. */
export const projectManagement = {
  credential: 'dashboard-or-organization-key',
  modes: ['live', 'test'],
  role: 'admin',
  scope: 'projects:write',
  oauth: ['projects:write'],
} as const;
