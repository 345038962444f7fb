/** The route that rotates the secret of a project's verification tokens. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { actorOf, recordAudit } from '../../administration/audit.js';
import { findProject } from '../../administration/project-store.js';
import { SigningSecretReply, SigningSecretRotation } from '../../contract/project.js';
import { organizationOf } from '../../http/access.js';
import { errorReplies } from '../../http/openapi.js';
import { acceptEmptyBodies, optionalBody } from '../../http/optional-body.js';
import { notFound } from '../../kernel/faults.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { AdministrationDeps } from '../deps.js';
import { ProjectParams, projectTags } from './project-route-parts.js';

export function registerSigningSecret(scope: FastifyInstance, deps: AdministrationDeps): void {
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
