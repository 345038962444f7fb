/**
 * Whose sessions are read: those of a project, in the mode (live, test, demo) of the key that asks.
 */
import { notFound, invalid } from '../kernel/faults.js';
import type { KeyCaller } from '../kernel/caller.js';
import { namespaceOf, type Namespace } from '../stores/counters/namespace.js';

export interface ProjectScope {
  readonly organizationId: string;
  readonly projectId: string;
  readonly namespace: Namespace;
}

export interface ProjectScopeDeps {
  /** The organization that a project belongs to; null for an unknown one. */
  readonly findOwner: (projectId: string) => Promise<string | null>;
}

/** The key’s own project, or the one that an organization key names. */
export async function resolveProjectScope(
  deps: ProjectScopeDeps,
  caller: KeyCaller,
  named: string | undefined,
): Promise<ProjectScope> {
  const { organizationId } = caller;
  const projectId = caller.projectId ?? named;
  if (projectId === undefined)
    throw invalid([{ path: '/projectId', message: 'is needed with an organization key: name the project.' }]);
  const isOther = named !== undefined && named !== projectId;
  if (isOther || (caller.projectId === null && (await deps.findOwner(projectId)) !== organizationId))
    throw notFound('project');
  return { organizationId, projectId, namespace: namespaceOf({ ...caller, projectId }) };
}
