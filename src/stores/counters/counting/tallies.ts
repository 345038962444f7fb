/** Counts in buckets of time, as four bytes of the bucket and three of its count. A window is the current bucket and those before it. Pure. */
import { u24, u24At, u32, u32At, type Bytes } from './bytes.js';

export const tallyBytes = 7;

export interface Tallied {
  readonly tallies: Bytes;
  /** Over the `width` buckets that end with the current one. */
  readonly sum: number;
}

/** One more in the bucket if `add`; buckets that have left the window are let go. */
export function tally(before: Bytes, bucket: number, width: number, add: boolean): Tallied {
  if (before === '') return add ? { tallies: u32(bucket) + u24(1), sum: 1 } : { tallies: '', sum: 0 };
  let tallies = '';
  let sum = 0;
  let added = !add;
  for (let at = 0; at < before.length; at += tallyBytes) {
    const of = u32At(before, at);
    if (of <= bucket - width) continue;
    let count = u24At(before, at + 4);
    if (!added && of === bucket) {
      count += 1;
      added = true;
      tallies += before.slice(at, at + 4) + u24(count);
    } else tallies += before.slice(at, at + tallyBytes);
    if (of <= bucket) sum += count;
  }
  return added ? { tallies, sum } : { tallies: tallies + u32(bucket) + u24(1), sum: sum + 1 };
}
