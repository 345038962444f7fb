/**
 * Cheap deterministic hashing of text into 32 bits: FNV-1a with a final mix. For comparing, never for secrecy.
 */
export function hashText(text: string, seed = 0): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash);
}

/** Spreads every bit of a number over all of its 32. */
export function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Eight hex digits. */
export function toHex(hash: number): string {
  return (hash + 0x1_0000_0000).toString(16).slice(1);
}
