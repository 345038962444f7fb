/**
 * Signs many messages with few signatures: those that arrive before the work in hand has ended (one callback of the event loop, with all promises
 * that it settles) are hashed into a Merkle tree (RFC 6962 in shape), and one Ed25519 signature covers its root. Each message gets the root’s
 * signature and its own path, so that every message can be verified alone. With one message at a time it is a plain signature.
 *
 *            root ── signed
 *           ╱    ╲
 *      node        c        path of b: [a, c]
 *     ╱    ╲
 *    a      b
 */
import { createHash, type Hash } from 'node:crypto';
import { signBytes, verifyBytes, type SigningKey, type VerifyingKey } from './master-key.js';

export interface Seal {
  readonly keyId: string;
  readonly signature: Uint8Array;
  /** Place of the message in its tree, and how many there were. */
  readonly index: number;
  readonly count: number;
  /** Sibling hashes up to the root, 32 bytes each, lowest first. */
  readonly path: Uint8Array;
}

export interface BatchSigner {
  seal(message: Uint8Array): Promise<Seal>;
}

const hashBytes = 32;
const batchMax = 64;
const leafMark = Uint8Array.of(0);
const nodeMark = Uint8Array.of(1);

const hashOf = (mark: Uint8Array): Hash => createHash('sha256').update(mark);
const leafOf = (message: Uint8Array): Buffer => hashOf(leafMark).update(message).digest();
const nodeOf = (left: Uint8Array, right: Uint8Array): Buffer => hashOf(nodeMark).update(left).update(right).digest();

interface Waiting {
  readonly leaf: Buffer;
  readonly resolve: (seal: Seal) => void;
  readonly reject: (error: unknown) => void;
}

export function createBatchSigner(key: SigningKey): BatchSigner {
  let waiting: Waiting[] = [];

  function run(): void {
    const arrived = waiting;
    waiting = [];
    for (let from = 0; from < arrived.length; from += batchMax) signBatch(key, arrived.slice(from, from + batchMax));
  }

  return {
    seal: (message) =>
      new Promise((resolve, reject) => {
        // Not in a turn of the event loop of their own: scores that are judged together come here together, and would wait for all that the next turn brings.
        if (waiting.push({ leaf: leafOf(message), resolve, reject }) === 1) process.nextTick(run);
      }),
  };
}

function signBatch(key: SigningKey, batch: readonly Waiting[]): void {
  const levels = levelsOf(batch.map(({ leaf }) => leaf));
  try {
    const signature = signBytes(key, levels.at(-1)?.[0] ?? leafMark);
    batch.forEach(({ resolve }, index) =>
      resolve({ keyId: key.keyId, signature, index, count: batch.length, path: pathOf(levels, index) }),
    );
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

/** From the leaves up to the root; a node without a partner moves up as it is. */
function levelsOf(leaves: readonly Buffer[]): readonly (readonly Buffer[])[] {
  const levels = [leaves];
  for (let level = leaves; level.length > 1;) {
    const above: Buffer[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const [left, right] = [level[index], level[index + 1]];
      if (left !== undefined) above.push(right === undefined ? left : nodeOf(left, right));
    }
    levels.push(above);
    level = above;
  }
  return levels;
}

function pathOf(levels: readonly (readonly Buffer[])[], leafIndex: number): Uint8Array {
  const path: Buffer[] = [];
  let index = leafIndex;
  for (const level of levels.slice(0, -1)) {
    const sibling = level[index ^ 1];
    if (sibling !== undefined) path.push(sibling);
    index >>= 1;
  }
  return new Uint8Array(Buffer.concat(path));
}

/** Whether the seal is this key’s for this message. False for anything malformed. */
export function verifySeal(key: VerifyingKey, message: Uint8Array, seal: Seal): boolean {
  if (seal.keyId !== key.keyId || seal.index < 0 || seal.index >= seal.count) return false;
  let node: Uint8Array = leafOf(message);
  let offset = 0;
  for (let index = seal.index, count = seal.count; count > 1; index >>= 1, count = (count + 1) >> 1) {
    if ((index ^ 1) >= count) continue;
    const sibling = seal.path.subarray(offset, (offset += hashBytes));
    if (sibling.length !== hashBytes) return false;
    node = index % 2 === 0 ? nodeOf(node, sibling) : nodeOf(sibling, node);
  }
  return offset === seal.path.length && verifyBytes(key, node, seal.signature);
}
