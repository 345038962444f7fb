/**
 * Routes of projects: reading one and changing its configuration.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { mergePatchOf, ProjectFields, ProjectReply } from '../contract/project.js';
import { notFound } from '../http/access.js';
import { invalid } from '../http/error-answers.js';
import { errorReplies } from '../http/openapi.js';
import type { Database } from '../stores/database/port.js';
import type { Directories } from './directories.js';
import { applyPatch, findContradictions } from './project-patch.js';
import { findProject, showProject, updateProjectFields } from './project-store.js';

export interface ProjectRouteDeps {
  readonly database: Database;
  readonly directories: Directories;
}

const ProjectParams = Type.Object({ projectId: Type.String({ description: 'Project, also called site key.' }) });

export function registerProjectRoutes(app: FastifyInstance, deps: ProjectRouteDeps): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();
  const common = { params: ProjectParams, tags: ['Projects'] };

  typed.get(
    '/projects/:projectId',
    {
      config: { access: { credential: 'dashboard-or-organization-key', role: 'member', project: 'projectId' } },
      schema: { ...common, operationId: 'getProject', summary: 'Read a project, defaults filled in', response: { 200: ProjectReply, ...errorReplies([400, 401, 403, 404]) } },
    },
    async (request) => {
      const project = await findProject(deps.database, request.params.projectId);
      if (project === null) throw notFound('project');
      return showProject(project);
    },
  );

  typed.patch(
    '/projects/:projectId',
    {
      config: { access: { credential: 'dashboard-or-organization-key', role: 'admin', scope: 'projects:write', project: 'projectId' } },
      schema: {
        ...common,
        operationId: 'updateProject',
        summary: 'Change a project by merge patch',
        description: 'Objects merge, arrays replace, null goes back to the default. In force on every instance within a second.',
        body: { ...mergePatchOf(ProjectFields), examples: [{ config: { liteConfig: { reviewLow: 35, blockThreshold: 80, perSource: { 'supplier-7': { blockThreshold: 70 } } } } }] },
        response: { 200: ProjectReply, ...errorReplies([400, 401, 403, 404]) },
      },
    },
    async (request) => {
      const { projectId } = request.params;
      const changed = await deps.database.transaction(async (tx) => {
        const project = await findProject(tx, projectId, { lock: true });
        if (project === null) throw notFound('project');
        const fields = applyPatch(project.fields, request.body as never);
        const issues = typeof fields.name === 'string' ? findContradictions(fields) : [{ path: '/name', message: 'has no default and cannot be null.' }];
        if (issues.length > 0) throw invalid(issues);
        await updateProjectFields(tx, projectId, fields);
        return { ...project, fields };
      });
      deps.directories.projects.drop(projectId);
      return showProject(changed);
    },
  );
}
