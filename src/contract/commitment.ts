/**
 * The bytes that a commitment of a capture is the SHA-256 of (base64url, 43 characters). The page and the service share this file:
 *
 *   the text `vh-commitment-1`, a line feed, the commitment before it (nothing before the first), a line feed, and for each frame since then
 *   its time in tenths of a millisecond (unsigned 32 bits, little-endian), the length of its hash (one byte), the hash, and its points as
 *   they stand in the envelope.
 */
export interface CommittedFrame {
  readonly atMs: number;
  /** The envelope's `points`, 4 bytes each. */
  readonly points: Uint8Array;
  /** The envelope's `hashes`; empty without any. */
  readonly hash: string;
}

export function commitmentBytes(previous: string | null, frames: readonly CommittedFrame[]): Uint8Array<ArrayBuffer> {
  const head = textBytes(`vh-commitment-1\n${previous ?? ''}\n`);
  const length = frames.reduce((sum, { hash, points }) => sum + 5 + hash.length + points.length, head.length);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  bytes.set(head);
  let at = head.length;
  for (const { atMs, hash, points } of frames) {
    view.setUint32(at, Math.round(atMs * 10), true);
    view.setUint8(at + 4, hash.length);
    bytes.set(textBytes(hash), at + 5);
    bytes.set(points, at + 5 + hash.length);
    at += 5 + hash.length + points.length;
  }
  return bytes;
}

/** The text is ASCII. */
const textBytes = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
