/**
 * Verifies a chain of receipts offline: the signature of each head, the place, digest and signature of each receipt, the hash at each head, and the
 * outcome of each receipt, which the present rules compute again from its facts if they are those that judged it. Ends at the first fault.
 */
import { createPublicKey } from 'node:crypto';
import { compactVerify } from 'jose';
import type { ChainedReceipt, ReceiptChainPage, ReceiptHead, ReceiptHeadPage } from '../../contract/receipt-chain.js';
import { verifySeal } from '../../crypto/batch-signer.js';
import { timeOfId } from '../../crypto/ids.js';
import { keyIdOf, type VerifyingKey } from '../../crypto/master-key.js';
import { chainStart, digestOf, headType, nextHash } from '../../record/chain.js';
import { openFacts, openReceipt, openSeal, packOutcome } from '../../record/record.js';
import { namespaceOf } from '../../stores/counters/namespace.js';
import type { ScoreFacts } from '../../contract/facts.js';
import type { RecordedVerdict } from '../../contract/pool.js';
import type { Receipt } from '../../record/types.js';

/** An excerpt withholds the content of all receipts but one. */
export type ExportedReceipt = Omit<ChainedReceipt, 'state'> & {
  readonly state: ChainedReceipt['state'] | 'withheld';
};

export interface ChainExport extends Pick<ReceiptChainPage, 'chain' | 'keptSince' | 'previous'> {
  readonly keys: ReceiptHeadPage['keys'];
  readonly heads: readonly ReceiptHead[];
  readonly receipts: AsyncIterable<ExportedReceipt> | Iterable<ExportedReceipt>;
}

export interface CheckOptions {
  /** The pure core. */
  readonly judge: (facts: ScoreFacts) => RecordedVerdict;
  readonly modelVersion: string;
}

export interface ChainSummary {
  readonly chain: string;
  readonly first: number;
  readonly last: number;
  readonly recorded: number;
  readonly recomputed: number;
  /** Receipts that other rules judged, by version. */
  readonly otherRules: Readonly<Record<string, number>>;
  readonly erased: number;
  readonly expired: number;
  readonly withheld: number;
  /** The only receipt with content; null if there are several or none. */
  readonly shown: Receipt | null;
  /** Heads whose place in the chain was compared; earlier ones are about receipts that are deleted by age. */
  readonly heads: number;
  readonly earlierHeads: number;
  readonly keys: readonly string[];
}

/** The first receipt, or head, that does not verify, and why. */
export class BrokenChain extends Error {
  override readonly name = 'BrokenChain';
}

/** Throws BrokenChain. */
export async function checkChain(given: ChainExport, options: CheckOptions): Promise<ChainSummary> {
  const { chain, previous, receipts } = given;
  const keys = readKeys(given.keys);
  const heads = await checkHeads(given, keys);
  const counts = { recorded: 0, recomputed: 0, erased: 0, expired: 0, withheld: 0, heads: 0 };
  let latest: Receipt | null = null;
  const otherRules: Record<string, number> = {};
  let { seq, hash } = previous;
  if (seq === 0 && hash !== hexOf(chainStart(chain)))
    throw new BrokenChain(`The chain ${chain} does not begin at its start.`);
  compareHead(heads, { seq, hash }, counts);
  for await (const receipt of receipts) {
    const name = nameOf(receipt);
    if (receipt.seq !== seq + 1)
      throw new BrokenChain(`${name} follows number ${seq}: receipts in between are missing.`);
    seq = receipt.seq;
    if (hexOf(nextHash(bytesOf(hash), bytesOf(receipt.digest))) !== receipt.hash)
      throw new BrokenChain(`${name}: its hash does not follow from the receipt before it.`);
    hash = receipt.hash;
    if (receipt.state === 'recorded') {
      counts.recorded += 1;
      const { opened, isRecomputed } = checkContent(receipt, { chain, keys, ...options });
      const { modelVersion: other } = opened.verdict;
      latest = opened;
      if (isRecomputed) counts.recomputed += 1;
      else otherRules[other] = (otherRules[other] ?? 0) + 1;
    } else counts[checkAbsence(receipt, given.keptSince)] += 1;
    compareHead(heads, { seq, hash }, counts);
  }
  const beyond = heads.find((head) => head.seq > seq);
  if (beyond !== undefined)
    throw new BrokenChain(`The chain ends at number ${seq}, before number ${beyond.seq} of the head of ${beyond.day}.`);
  const earlierHeads = heads.filter((head) => head.seq < previous.seq).length;
  const shown = counts.recorded === 1 ? latest : null;
  const ends = { first: previous.seq + 1, last: seq };
  return { chain, ...ends, ...counts, shown, otherRules, earlierHeads, keys: [...keys.keys()] };
}

/** The name of a key is a digest of it, so whoever knows the name knows the key. */
const readKeys = (keys: ChainExport['keys']): ReadonlyMap<string, VerifyingKey> =>
  new Map(
    keys.map((key) => {
      const publicKey = createPublicKey({ key, format: 'jwk' });
      if (keyIdOf('receipts', publicKey) !== key.kid)
        throw new BrokenChain(`The key ${key.kid} is not the key of that name.`);
      return [key.kid, { keyId: key.kid, publicKey }];
    }),
  );

async function checkHeads({ chain, heads }: ChainExport, keys: ReadonlyMap<string, VerifyingKey>) {
  for (const { jws, day, seq, hash } of heads) {
    const signed = await compactVerify(jws, ({ kid = '' }) => keyOf(keys, kid).publicKey, {
      algorithms: ['EdDSA'],
    }).catch(() => null);
    const says = signed === null ? null : new TextDecoder().decode(signed.payload);
    if (signed?.protectedHeader.typ !== headType || says !== JSON.stringify({ chain, day, seq, hash }))
      throw new BrokenChain(`The head of ${day} is not signed by a key of the service.`);
  }
  return heads;
}

function keyOf(keys: ReadonlyMap<string, VerifyingKey>, keyId: string): VerifyingKey {
  const key = keys.get(keyId);
  if (key === undefined) throw new Error(`no key ${keyId}`);
  return key;
}

function compareHead(
  heads: readonly ReceiptHead[],
  { seq, hash }: { readonly seq: number; readonly hash: string },
  counts: { heads: number },
): void {
  for (const head of heads)
    if (head.seq === seq) {
      if (head.hash !== hash)
        throw new BrokenChain(`Number ${seq} is not the receipt that the head of ${head.day} signed.`);
      counts.heads += 1;
    }
}

interface ContentCheck extends CheckOptions {
  readonly chain: string;
  readonly keys: ReadonlyMap<string, VerifyingKey>;
}

/** Not recomputed: other rules than the present ones judged it. */
function checkContent(
  receipt: ExportedReceipt,
  { chain, keys, judge, modelVersion }: ContentCheck,
): { readonly opened: Receipt; readonly isRecomputed: boolean } {
  const [record, seal, salt] = [receipt.record, receipt.seal, receipt.salt].map((text) =>
    Buffer.from(text ?? '', 'base64'),
  );
  const fail = (reason: string): BrokenChain => new BrokenChain(`${nameOf(receipt)}: ${reason}`);
  if (
    record === undefined ||
    seal === undefined ||
    salt === undefined ||
    hexOf(digestOf(salt, record)) !== receipt.digest
  )
    throw fail('its content was changed after it was recorded.');
  const signed = openSeal(seal);
  const key = keys.get(signed.keyId);
  if (key === undefined) throw fail(`it is signed by an unknown key, ${signed.keyId}.`);
  if (!verifySeal(key, record, signed)) throw fail('its signature does not hold.');
  const opened = openReceipt(record);
  const { verdict, ...owner } = opened;
  if (owner.receiptId !== receipt.receiptId || namespaceOf(owner) !== chain)
    throw fail('its content is that of another.');
  if (verdict.modelVersion !== modelVersion) return { opened, isRecomputed: false };
  const facts = openFacts(record);
  const outcome = packOutcome(judge(facts), facts);
  if (!record.subarray(record.length - outcome.length).equals(outcome))
    throw fail(`its facts give another outcome than the recorded score of ${verdict.score}.`);
  return { opened, isRecomputed: true };
}

/** An erased receipt has no id; an expired one carries its time in its id. */
function checkAbsence(receipt: ExportedReceipt, keptSince: string | null): 'erased' | 'expired' | 'withheld' {
  const { state, receiptId } = receipt;
  if ((state === 'erased' || state === 'withheld') && receiptId === null) return state;
  const scoredAtMs = receiptId === null ? null : timeOfId('receipt', receiptId);
  const isExpired = keptSince !== null && scoredAtMs !== null && scoredAtMs < Date.parse(keptSince);
  if (state !== 'expired' || !isExpired) throw new BrokenChain(`${nameOf(receipt)} was removed.`);
  return state;
}

const nameOf = ({ seq, receiptId }: ExportedReceipt): string =>
  `Receipt number ${seq}${receiptId === null ? '' : ` (${receiptId})`}`;
const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
