/**
 * Solves the proof of work that the service asks of an address with many sessions: in slices, so that the page stays responsive. A worker is not
 * needed for some 50 ms, and a page's policy could forbid it.
 */
import type { Reply, Trouble } from './http.js';
import type { RequiredProof, SolvedProof } from '../../src/contract/session-proof.js';

/** How long the page waits for a slice, milliseconds: less than a frame. */
const sliceMs = 8;
/** Digests between two looks at the clock. */
const sliceDigests = 512;
const digestWords = 8;

/** Maximum proofs of one call. Retries after lost responses need further proofs. */
const proofsMax = 3;

/** A call, and the same with the proof that it was answered to need. */
export type AskWithProof = (body?: { readonly proof: SolvedProof }) => Promise<Reply | Trouble>;

/** Asks, and works where the service wants that. Rejects with the signal's reason. */
export async function payWithWork(ask: AskWithProof, signal: AbortSignal): Promise<Reply | Trouble> {
  let answer = await ask();
  for (let proofs = 0; proofs < proofsMax && answer.kind === 'reply'; proofs++) {
    const { code, proof } = (answer.body ?? {}) as { readonly code?: string; readonly proof?: RequiredProof };
    if (code !== 'PROOF_REQUIRED' || proof === undefined) break;
    answer = await ask({ proof: await solveProof(proof, signal) });
  }
  return answer;
}

/** Rejects with the signal's reason. */
export async function solveProof(
  { token, difficulty, count }: RequiredProof,
  signal: AbortSignal,
): Promise<SolvedProof> {
  const digest = createDigest(seedOf(token));
  const solution: number[] = [];
  let untilMs = performance.now() + sliceMs;
  for (let index = 0; index < count; index++) {
    let number = 0;
    while (Math.clz32(digest(index, number)) < difficulty) {
      if (++number % sliceDigests > 0 || performance.now() < untilMs) continue;
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      untilMs = performance.now() + sliceMs;
    }
    solution.push(number);
  }
  return { token, solution };
}

/** The token's last 32 bytes, as words. */
function seedOf(token: string): Int32Array {
  const bytes = Uint8Array.from(atob(token.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  const view = new DataView(bytes.buffer, bytes.length - 4 * digestWords);
  return Int32Array.from({ length: digestWords }, (_, word) => view.getInt32(4 * word));
}

/**
 * The first word of the SHA-256 (FIPS 180-4) of seed, index and number. That is one block; `crypto.subtle` takes longer to answer than the block
 * takes.
 */
function createDigest(seed: Int32Array): (index: number, number: number) => number {
  const [initial, constants] = fractions();
  const words = new Int32Array(constants.length);
  words.set(seed);
  words[digestWords + 2] = 1 << 31;
  words[15] = 32 * (digestWords + 2);
  return (index, number) => {
    words[digestWords] = index;
    words[digestWords + 1] = number;
    for (let t = 16; t < words.length; t++) {
      const x = words[t - 15] as number;
      const y = words[t - 2] as number;
      const mixed = (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
      words[t] = (mixed + (words[t - 7] as number) + (words[t - 16] as number)) | 0;
    }
    let a = initial[0] as number;
    let b = initial[1] as number;
    let c = initial[2] as number;
    let d = initial[3] as number;
    let e = initial[4] as number;
    let f = initial[5] as number;
    let g = initial[6] as number;
    let h = initial[7] as number;
    for (let t = 0; t < words.length; t++) {
      const one =
        (h +
          (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
          ((e & f) ^ (~e & g)) +
          (constants[t] as number) +
          (words[t] as number)) |
        0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    return (a + (initial[0] as number)) | 0;
  };
}

const turn = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** The first 32 bits of what lies behind the point of the roots of the first primes: square roots of 8, cube roots of 64. */
function fractions(): readonly [initial: Int32Array, constants: Int32Array] {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime > 0)) primes.push(n);
  const bits = (root: number): number => ((root % 1) * 2 ** 32) | 0;
  return [
    Int32Array.from(primes.slice(0, digestWords), (n) => bits(Math.sqrt(n))),
    Int32Array.from(primes, (n) => bits(Math.cbrt(n))),
  ];
}
