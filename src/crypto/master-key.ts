/**
 * The master key and what derives from it: every instance derives the same keys. A missing key is generated into the data directory (mode
 * 0600); a malformed file is refused.
 */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  hash,
  hkdfSync,
  randomBytes,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ref } from '../contract/facts.js';
import { toHexPair } from '../contract/hash.js';
import { makeDirectory } from '../make-directory.js';

const keyBytes = 32;
/** DER header of a PKCS #8 Ed25519 private key (RFC 8410); the 32-byte seed follows. */
const ed25519Pkcs8Header = Buffer.from('302e020100300506032b657004220420', 'hex');

const pathIn = (directory: string): string => join(directory, 'master.key');

/** The key in `master.key` of the directory; null where there is none. */
export function readMasterKey(directory: string): Uint8Array | null {
  const path = pathIn(directory);
  try {
    return parseMasterKey(readFileSync(path, 'utf8'), path);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw syscall === undefined ? error : cannotUse(path, error);
  }
}

/** Reads `master.key` from the directory, creating it where there is none. */
export function loadMasterKey(directory: string): Uint8Array {
  const path = pathIn(directory);
  const known = readMasterKey(directory);
  if (known !== null) return known;
  const draft = `${path}.${process.pid}`;
  try {
    makeDirectory(directory);
    writeFileSync(draft, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600 });
  } catch (error) {
    throw cannotUse(path, error);
  }
  try {
    linkSync(draft, path); // atomic, and of two processes that start at once only one wins
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return parseMasterKey(readFileSync(path, 'utf8'), path);
}

const cannotUse = (path: string, cause: unknown): Error =>
  new Error(
    `${path} cannot be read or written (${(cause as Error).message}). Grant access, or set VH_DATA_DIR to a directory of this user.`,
    { cause },
  );

function parseMasterKey(text: string, path: string): Uint8Array {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== keyBytes)
    throw new Error(`${path} does not hold 32 bytes in base64. Restore it from a back-up: other keys derive from it.`);
  return key;
}

/** 32 bytes for one purpose, independent of those for any other. */
export function deriveKey(masterKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, 'verifyhuman', purpose, keyBytes));
}

export interface VerifyingKey {
  readonly keyId: string;
  readonly publicKey: KeyObject;
}

export interface SigningKey extends VerifyingKey {
  readonly privateKey: KeyObject;
}

/** The Ed25519 key pair of one purpose. Its id names the purpose and changes with the key. */
export function deriveSigningKey(masterKey: Uint8Array, purpose: string): SigningKey {
  const der = Buffer.concat([ed25519Pkcs8Header, deriveKey(masterKey, purpose)]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  return { keyId: keyIdOf(purpose, publicKey), privateKey, publicKey };
}

export function keyIdOf(purpose: string, publicKey: KeyObject): string {
  const fingerprint = createHmac('sha256', 'key-id')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64url')
    .slice(0, 12);
  return `${purpose}-${fingerprint}`;
}

/** In line: an Ed25519 signature takes about 30 us, and a trip to the thread pool costs two wake-ups, which is more. */
export const signBytes = (key: SigningKey, bytes: Uint8Array): Uint8Array => sign(null, bytes, key.privateKey);

export function verifyBytes(key: VerifyingKey, bytes: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, bytes, key.publicKey, signature);
}

/** Makes keyed hashes that stand for identifiers: equal within a project, unrelated across projects. */
export type MakeRef = (projectId: string, kind: string, value: string) => Ref;

/** Sources, studies and networks recur in every score; their references are kept. Those of sessions and people would only push them out. */
const recurringKinds = [
  'scope',
  'source',
  'prefix',
  'history:source',
  'history:subSource',
  'history:network',
  'history:study',
] as const;
const keptMax = 20_000;

/**
 * The key stands before the value and the digest is cut to a quarter, so that plain SHA-256 serves as the keyed hash: three times faster
 * than HMAC, and a score needs nine.
 */
export function createMakeRef(masterKey: Uint8Array): MakeRef {
  const key = deriveKey(masterKey, 'references').toString('hex');
  const kept = new Map<string, Map<string, Map<string, Ref>>>(recurringKinds.map((kind) => [kind, new Map()]));
  let count = 0;
  return (projectId, kind, value) => {
    const byProject = kept.get(kind);
    const known = byProject?.get(projectId)?.get(value);
    if (known !== undefined) return known;
    const ref = shortHex(hash('sha256', `${key}${projectId}\n${kind}\n${value}`, 'binary'));
    if (byProject === undefined) return ref;
    if (count === keptMax) for (const each of kept.values()) each.clear();
    count = count === keptMax ? 1 : count + 1;
    const refs = byProject.get(projectId) ?? new Map<string, Ref>();
    byProject.set(projectId, refs.set(value, ref));
    return ref;
  };
}

/** Eight bytes of a digest in hexadecimal. A slice of the whole digest’s text would keep that text alive as long as the counters hold the reference. */
function shortHex(digest: string): string {
  const word = (at: number): number =>
    (digest.charCodeAt(at) << 24) |
    (digest.charCodeAt(at + 1) << 16) |
    (digest.charCodeAt(at + 2) << 8) |
    digest.charCodeAt(at + 3);
  return toHexPair(word(0), word(4));
}
