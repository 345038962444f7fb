/**
 * An excerpt of a chain of receipts: the content of one, and digests alone of the others that lead from the head before it to the head after it. Whoever
 * gets it verifies this one receipt, and learns nothing of the others. Fails if the chain has no content of the receipt.
 */
import type { ChainExport, ExportedReceipt } from './check-chain.js';

export async function excerptOf(receiptId: string, { receipts, ...about }: ChainExport): Promise<ChainExport> {
  const ends = new Set(about.heads.map(({ seq }) => seq));
  let { previous } = about;
  let part: ExportedReceipt[] = [];
  let isFound = false;
  for await (const receipt of receipts) {
    const isShown = receipt.receiptId === receiptId && receipt.state === 'recorded';
    isFound ||= isShown;
    part.push(isShown ? receipt : withhold(receipt));
    if (!ends.has(receipt.seq)) continue;
    if (isFound) break;
    previous = { seq: receipt.seq, hash: receipt.hash };
    part = [];
  }
  if (!isFound) throw new Error(`The chain has no content of the receipt ${receiptId}.`);
  const last = part.at(-1)?.seq ?? previous.seq;
  const heads = about.heads.filter(({ seq }) => seq >= previous.seq && seq <= last);
  return { ...about, previous, heads, receipts: part };
}

const withhold = ({ seq, hash, digest }: ExportedReceipt): ExportedReceipt => ({
  ...{ seq, hash, digest, state: 'withheld' },
  ...{ receiptId: null, record: null, seal: null, salt: null },
});
