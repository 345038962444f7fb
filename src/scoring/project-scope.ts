/**
 * Whose sessions are read: those of a project, in the mode (live, test, demo) of the key that asks. Access tokens and dashboard tokens read
 * what live keys scored.
 */
import { notFound, invalid } from '../kernel/faults.js';
import type { Caller, KeyCaller } from '../kernel/caller.js';
import type { EvidenceReader } from './receipts/evidence-service.js';
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

/** Access to a project’s scores. Demo keys are refused: anyone can create one, and would read the scores of all others. */
export const readingProject = {
  credential: 'dashboard-or-key',
  scope: 'lite:read',
  oauth: ['lite:read', 'receipts:read'],
  modes: ['live', 'test'],
} as const;

/** The key’s own project, or the one that any other caller names. */
export async function resolveProjectScope(
  deps: ProjectScopeDeps,
  caller: Caller | null,
  named: string | undefined,
): Promise<ProjectScope> {
  if (caller === null) throw new Error('the route does not require a credential');
  const { organizationId } = caller;
  const own = caller.kind === 'key' ? caller.projectId : null;
  const projectId = own ?? named;
  if (projectId === undefined)
    throw invalid([{ path: '/projectId', message: 'is required with this credential. Send the id of the project.' }]);
  const isOther = named !== undefined && named !== projectId;
  if (isOther || (own === null && (await deps.findOwner(projectId)) !== organizationId)) throw notFound('project');
  const mode = caller.kind === 'key' ? caller : {};
  return { organizationId, projectId, namespace: namespaceOf({ ...mode, organizationId, projectId }) };
}

/** Finds the receipts that a caller may read: a key reads its own scores; a dashboard token, or an access token with receipts:read, reads the named project. */
export async function resolveReader(
  deps: ProjectScopeDeps,
  caller: Caller | null,
  named: string | undefined,
): Promise<EvidenceReader> {
  if (caller?.kind === 'key' && (named === undefined || caller.projectId !== null)) {
    if (named !== undefined && named !== caller.projectId) throw notFound('project');
    return { ...caller, wholeProject: readsProject(caller), listsStudies: listsStudies(caller) };
  }
  const { organizationId, projectId } = await resolveProjectScope(deps, caller, named);
  const wholeProject = caller?.kind !== 'key' || readsProject(caller);
  const { lineage, isTest, isDemo } = caller?.kind === 'key' ? caller : { lineage: '', isTest: false, isDemo: false };
  return { organizationId, projectId, lineage, isTest, isDemo, wholeProject };
}

const listsStudies = ({ scopes }: KeyCaller): boolean => scopes.includes('audience:write');
const readsProject = ({ client, scopes }: KeyCaller): boolean => client === true && scopes.includes('receipts:read');
