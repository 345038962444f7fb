/** Cheap deterministic hashing of text into 32 bits: FNV-1a with a final mix. For comparing, never for secrecy. */
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

const codesOfDigits = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const digitOf = (hash: number, shift: number): number => codesOfDigits[(hash >>> shift) & 15] ?? 0;

/** Eight hex digits, digit by digit: what the runtime spells numbers by takes ten times as long. */
export function toHex(hash: number): string {
  // oxfmt-ignore
  return String.fromCharCode(
    digitOf(hash, 28), digitOf(hash, 24), digitOf(hash, 20), digitOf(hash, 16), digitOf(hash, 12), digitOf(hash, 8), digitOf(hash, 4), digitOf(hash, 0),
  );
}

/** Sixteen: one text made at once, and not joined of two. */
export function toHexPair(high: number, low: number): string {
  // oxfmt-ignore
  return String.fromCharCode(
    digitOf(high, 28), digitOf(high, 24), digitOf(high, 20), digitOf(high, 16), digitOf(high, 12), digitOf(high, 8), digitOf(high, 4), digitOf(high, 0),
    digitOf(low, 28), digitOf(low, 24), digitOf(low, 20), digitOf(low, 16), digitOf(low, 12), digitOf(low, 8), digitOf(low, 4), digitOf(low, 0),
  );
}
