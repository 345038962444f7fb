/**
 * Whose sessions are looked at: a project, in the mode of the key that asks. Test keys see what test keys scored.
 */
import { notFound, invalid } from '../kernel/faults.js';
import type { KeyCaller } from '../kernel/caller.js';
import { namespaceOf, type Namespace } from '../stores/counters/namespace.js';

export interface LookedAt {
  readonly organizationId: string;
  readonly projectId: string;
  readonly namespace: Namespace;
}

export interface LookAtDeps {
  /** The organization that a project belongs to; null for an unknown one. */
  readonly findOwner: (projectId: string) => Promise<string | null>;
}

/** The key’s own project, or the one that an organization key names. */
export async function lookAt(deps: LookAtDeps, caller: KeyCaller, named: string | undefined): Promise<LookedAt> {
  const { organizationId } = caller;
  const projectId = caller.projectId ?? named;
  if (projectId === undefined)
    throw invalid([{ path: '/projectId', message: 'is needed with an organization key: name the project.' }]);
  const isOther = named !== undefined && named !== projectId;
  if (isOther || (caller.projectId === null && (await deps.findOwner(projectId)) !== organizationId))
    throw notFound('project');
  return { organizationId, projectId, namespace: namespaceOf({ ...caller, projectId }) };
}
