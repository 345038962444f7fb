/**
 * A short non-cryptographic hash (53 bits, two multiplied lanes) for long strings of which only
 * equality matters. Not for secrets.
 */
export function hashText(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  return (4294967296 * (2097151 & (b ^ (b >>> 15))) + ((a ^ (a >>> 13)) >>> 0)).toString(36);
}

/** A random lower-case hex string of 32 characters. */
export function randomHex(): string {
  let hex = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) hex += (byte + 256).toString(16).slice(1);
  return hex;
}
