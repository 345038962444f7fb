/**
 * Which pages may use a project, decided in one place. The project’s list decides alone where it is not empty; else the
 * organization’s; where both are empty, everything is allowed in development and nothing elsewhere.
 */
import type { Environment } from '../config/settings.js';
import type { OriginCheck } from '../contract/project.js';
import { originMatches, parseOriginPattern, type OriginPattern } from '../net/origin-pattern.js';

export interface OriginDecision {
  readonly allowed: boolean;
  readonly decidedBy: OriginCheck['decidedBy'];
}

export type DecideOrigin = (
  lists: { readonly project: readonly string[]; readonly organization: readonly string[] },
  origin: string | null,
) => OriginDecision;

/** Parsed lists are kept as long as the cached record that they belong to. */
export function createOriginDecision(environment: Environment): DecideOrigin {
  const parsed = new WeakMap<readonly string[], readonly OriginPattern[]>();
  const patternsOf = (texts: readonly string[]): readonly OriginPattern[] => {
    const known = parsed.get(texts);
    if (known !== undefined) return known;
    const patterns = texts.map(parseOriginPattern).flatMap((result) => (result.ok ? [result.pattern] : []));
    parsed.set(texts, patterns);
    return patterns;
  };
  return ({ project, organization }, origin) => {
    const listed = (list: readonly string[]): boolean => origin !== null && originMatches(origin, patternsOf(list));
    if (project.length > 0) return { allowed: listed(project), decidedBy: 'project' };
    if (organization.length > 0) return { allowed: listed(organization), decidedBy: 'organization' };
    return { allowed: environment === 'development', decidedBy: 'environment' };
  };
}
