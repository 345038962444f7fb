/**
 * Lists of origin patterns as callers write them: each pattern is checked, put in canonical form and kept once.
 */
import type { Issue } from '../../errors.js';
import { parseOriginPattern } from '../../net/origin-pattern.js';

export interface ReadOrigins {
  readonly patterns: string[];
  /** One for each pattern at fault, under `path`; its message says what to write. */
  readonly issues: readonly Issue[];
}

export function readOrigins(texts: readonly string[], path: string): ReadOrigins {
  const patterns = new Set<string>();
  const issues: Issue[] = [];
  for (const [index, text] of texts.entries()) {
    const parsed = parseOriginPattern(text);
    if (parsed.ok) patterns.add(parsed.pattern.text);
    else issues.push({ path: `${path}/${index}`, message: parsed.problem });
  }
  return { patterns: [...patterns], issues };
}

/** Whether two lists allow the same, whatever their order and form. */
export function sameOrigins(a: readonly string[], b: readonly string[]): boolean {
  const canonical = (texts: readonly string[]): string =>
    JSON.stringify([...new Set(texts.map((text) => canonicalOf(text)))].sort());
  return canonical(a) === canonical(b);
}

function canonicalOf(text: string): string {
  const parsed = parseOriginPattern(text);
  return parsed.ok ? parsed.pattern.text : text;
}
