/**
 * A namespace holds what a key measures, of one project, or of an organization if the key has no project. Nothing crosses between the
 * modes live, test and demo; probes and limits are shared by all three. Pure.
 */

/** Names a project or organization, and the mode of the key where that is not the live one: `proj_1`, `proj_1~test`, `proj_1~demo`. */
export type Namespace = string;

export interface NamespaceOwner {
  readonly organizationId: string;
  /** null for an organization key. */
  readonly projectId: string | null;
  /** Absent: a live key. */
  readonly isTest?: boolean;
  readonly isDemo?: boolean;
}

/** Stands in no identifier. */
const separator = '~';

export function namespaceOf(owner: NamespaceOwner): Namespace {
  const holder = holderOf(owner);
  if (owner.isDemo === true) return `${holder}${separator}demo`;
  return owner.isTest === true ? `${holder}${separator}test` : holder;
}

/** The project, or for an organization key the organization: references of identifiers are made for it, so that every mode knows the page's probe. */
export const holderOf = (owner: Pick<NamespaceOwner, 'organizationId' | 'projectId'>): string =>
  owner.projectId ?? owner.organizationId;

/** Every namespace that a project or organization can have. */
export function namespacesOf(holder: string): readonly Namespace[] {
  return [holder, `${holder}${separator}test`, `${holder}${separator}demo`];
}

/** The two parts of a namespace; the mode of live keys is the empty one. */
export function splitNamespace(namespace: Namespace): { readonly holder: string; readonly mode: string } {
  const at = namespace.indexOf(separator);
  return at === -1
    ? { holder: namespace, mode: '' }
    : { holder: namespace.slice(0, at), mode: namespace.slice(at + separator.length) };
}
