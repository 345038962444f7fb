/** Text that a database can store: without NUL characters and unpaired surrogates. */
import { pointerSegment, type Issue } from '../errors.js';

const unstorable = /[\u0000\p{Surrogate}]/u;

/** The text with a replacement character for each unpaired surrogate, also one that truncation left. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** The first string or name that cannot be stored, as a JSON pointer. */
export function findUnstorable(value: unknown, path: string): Issue | null {
  if (typeof value === 'string')
    return unstorable.test(value)
      ? { path, message: 'contains a character that cannot be stored: NUL, or half of a surrogate pair.' }
      : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, child] of Object.entries(value)) {
    const at = `${path}/${pointerSegment(name)}`;
    const issue =
      (unstorable.test(name) ? { path: at, message: 'is a name that cannot be stored.' } : null) ??
      findUnstorable(child, at);
    if (issue !== null) return issue;
  }
  return null;
}
