/**
 * Changing a project: the patch is merged under the project’s row lock, checked as a whole and recorded, or nothing happens.
 */
import { notFound, invalid } from '../../kernel/faults.js';
import type { ProjectChange } from '../../contract/project.js';
import type { AdministrationDeps } from '../deps.js';
import { recordAudit, type Actor } from '../../administration/audit.js';
import { findOrganization } from '../../administration/organization-store.js';
import { checkProject, requireBrandingTier, resolveAlias } from './project-checks.js';
import { applyPatch } from './project-patch.js';
import { findProject, updateProjectFields, type StoredProject } from '../../administration/project-store.js';
import { inOrganization } from '../../stores/database/tenant.js';

/** `changed` names what the patch touches, for the record. */
export async function updateProject(
  deps: AdministrationDeps,
  actor: Actor,
  projectId: string,
  patch: ProjectChange,
  changed: readonly string[],
): Promise<StoredProject> {
  const organizationId = await deps.directories.findProjectOwner(projectId);
  if (organizationId === null) throw notFound('project');
  const alias = resolveAlias(patch);
  const updated = await inOrganization(deps.database, organizationId, async (tx) => {
    const project = await findProject(tx, projectId, { lock: true });
    const organization = await findOrganization(tx, organizationId);
    if (project === null || organization === null) throw notFound('project');
    requireBrandingTier(patch.branding, organization.tier);
    const { fields, issues } = checkProject(applyPatch(project.fields, alias.change), {
      environment: deps.environment,
      originsPath: alias.originsPath,
    });
    if (alias.issues.length + issues.length > 0) throw invalid([...alias.issues, ...issues]);
    await updateProjectFields(tx, projectId, fields);
    await recordAudit(tx, actor, {
      organizationId,
      action: 'project.updated',
      subject: { kind: 'project', id: projectId },
      detail: { changed },
    });
    return { ...project, fields };
  });
  deps.directories.projects.drop(projectId);
  return updated;
}
