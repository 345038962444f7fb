/**
 * Short names for what stands before the references in keys: a namespace, or a scope in one. A session has a dozen keys, and what they share would
 * be half of each. 66 bits of a hash, where a reference has 64.
 */
import { createHash } from 'node:crypto';

const characters = 11;
const knownMax = 20_000;
const known = new Map<string, string>();

/** The same for the same name, in every process. */
export function shortName(name: string): string {
  const before = known.get(name);
  if (before !== undefined) return before;
  const short = createHash('sha256').update(name).digest('base64url').slice(0, characters);
  if (known.size >= knownMax) known.clear();
  known.set(name, short);
  return short;
}
