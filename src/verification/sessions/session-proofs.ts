/**
 * The price of sessions: an address that makes more than a household does proves some work for each, and more the more it makes, up to a bound.
 * A proof is signed, bound to site key and address, short-lived, and good for one session, which the database decides. Whoever shares a busy
 * address waits a little; nobody is refused. With the counters store away sessions cost nothing.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { proofCount, type RequiredProof, type SolvedProof } from '../../contract/session-proof.js';
import { Fault } from '../../errors.js';
import type { Limits } from '../../administration/request-limits.js';
import type { Address } from '../../net/address.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Randomness } from './challenges.js';

/** The difficulty for the first proofs of an address: some 50 ms of one thread of a laptop's browser. */
const difficultyLeast = 14;
/** Each step doubles the work, whenever the address has doubled its sessions. */
const stepsMax = 3;
const lifetimeSeconds = 120;
/** Expiry, difficulty and randomness. */
const headBytes = 16;
const digestBytes = 32;

export interface ProofDeps {
  readonly key: Uint8Array;
  readonly random: Pick<Randomness, 'bytes'>;
  readonly limits: Pick<Limits, 'takeFreeSession' | 'takePaidSession'>;
  readonly metrics: Pick<Metrics, 'sessionProofs'>;
  readonly now: () => number;
}

/** Whose session it is to be. */
export interface Payer {
  readonly siteKey: string;
  readonly address: Address | null;
}

export type SessionProofs = ReturnType<typeof createSessionProofs>;

export function createSessionProofs({ key, random, limits, metrics, now }: ProofDeps) {
  const sign = (head: Uint8Array, { siteKey, address }: Payer): Buffer =>
    createHmac('sha256', key)
      .update(head)
      .update(JSON.stringify([siteKey, address?.place ?? '']))
      .digest();

  function require(payer: Payer, difficulty: number): Fault {
    const expiresAt = Math.floor(now() / 1_000) + lifetimeSeconds;
    const head = random.bytes(headBytes);
    head.writeUInt32BE(expiresAt);
    head.writeUInt8(difficulty, 4);
    const token = Buffer.concat([head, sign(head, payer)]).toString('base64url');
    const proof: RequiredProof = { algorithm: 'sha-256', token, difficulty, count: proofCount, expiresAt };
    metrics.sessionProofs.inc({ result: 'asked' });
    return new Fault(
      'PROOF_REQUIRED',
      'Many sessions come from this IP address. Solve `proof` and send the call again with it.',
      {
        context: { proof },
      },
    );
  }

  /** The fault of a proof that another session was made with. */
  function spent(payer: Payer): Fault {
    metrics.sessionProofs.inc({ result: 'refused' });
    return require(payer, difficultyLeast + stepsMax);
  }

  return {
    /** The token of a proof that is good; null of another. */
    read(payer: Payer, proof: SolvedProof | undefined): string | null {
      if (proof === undefined) return null;
      const bytes = Buffer.from(proof.token, 'base64url');
      const [head, signature] = [bytes.subarray(0, headBytes), bytes.subarray(headBytes)];
      const isGood =
        timingSafeEqual(signature, sign(head, payer)) &&
        head.readUInt32BE() * 1_000 > now() &&
        isSolved(signature, head.readUInt8(4), proof.solution);
      metrics.sessionProofs.inc({ result: isGood ? 'solved' : 'refused' });
      return isGood ? proof.token : null;
    },
    /** Counts a session of the payer's address. Throws PROOF_REQUIRED, and counts nothing, if it has to be paid for and the proof does not. */
    async charge(payer: Payer, proof: string | null): Promise<void> {
      if (proof !== null && (await limits.takePaidSession(payer.address, proof))) return;
      if (proof !== null) throw spent(payer);
      const load = await limits.takeFreeSession(payer.address);
      if (load > 0) throw require(payer, difficultyLeast + Math.min(stepsMax, Math.ceil(Math.log2(load)) - 1));
    },
    spent,
  };
}

function isSolved(seed: Uint8Array, difficulty: number, solution: readonly number[]): boolean {
  const block = Buffer.alloc(digestBytes + 8);
  block.set(seed);
  return solution.every((number, index) => {
    block.writeUInt32BE(index, digestBytes);
    block.writeUInt32BE(number, digestBytes + 4);
    return Math.clz32(hash('sha256', block, 'buffer').readUInt32BE()) >= difficulty;
  });
}
