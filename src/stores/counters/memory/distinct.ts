/**
 * Distinct members seen in a window: each with when it was seen last (a time or the number of a bucket).
 * Bounded: beyond `cap` the members seen longest ago are let go, and the count stays at `cap`.
 * Most sets never have a second member, and a Map takes three times the memory of a pair: one member is a pair, several are a Map.
 */
import { bounds } from '../bounds.js';

export type Distinct = readonly [member: string, at: number] | Map<string, number>;

/** The set with a member as seen at `at`; a later sighting stands. A Map is changed in place. */
export function addDistinct(members: Distinct | null, member: string, at: number): Distinct {
  if (members === null) return [member, at];
  if (!(members instanceof Map)) {
    if (members[0] === member) return members[1] > at ? members : [member, at];
    return new Map([members, [member, at]]);
  }
  const seen = members.get(member);
  if (seen !== undefined && seen > at) return members;
  members.delete(member);
  members.set(member, at);
  return members;
}

/** Puts the members in the order of sighting again, after one was added that was seen before others. */
export function sortDistinct(members: Distinct): void {
  if (!(members instanceof Map)) return;
  const sorted = [...members].sort(([, a], [, b]) => a - b);
  members.clear();
  for (const [member, at] of sorted) members.set(member, at);
}

/** Drops what was seen at or before `oldest`, then the longest unseen beyond `cap`, and counts the rest. */
export function countDistinct(members: Distinct, oldest: number, cap: number): number {
  if (!(members instanceof Map)) return members[1] > oldest ? 1 : 0;
  // Insertion order is order of sighting as long as clocks agree, so the walk ends at the first that stays.
  for (const [member, at] of members) {
    if (at > oldest) break;
    members.delete(member);
  }
  for (const member of members.keys()) {
    if (members.size <= cap) break;
    members.delete(member);
  }
  return members.size;
}

/**
 * Counts in buckets of time: [bucket, count, ...], ascending. A window is the current bucket and those before it.
 */
export type Buckets = number[];

/** Nothing counted yet, and room for one bucket: most keys never have another. */
export const createBuckets = (bucket: number): Buckets => [bucket, 0];

/** Adds one to a bucket and drops those that left the window of `width` buckets. */
export function addToBucket(buckets: Buckets, bucket: number, width: number): void {
  let at = buckets.length;
  while (at > 0 && (buckets[at - 2] ?? 0) > bucket) at -= 2;
  if (at > 0 && buckets[at - 2] === bucket) buckets[at - 1] = (buckets[at - 1] ?? 0) + 1;
  else buckets.splice(at, 0, bucket, 1);
  const oldest = bucket - width;
  while (buckets.length > 0 && (buckets[0] ?? 0) <= oldest) buckets.splice(0, 2);
}

/** The count over the `width` buckets that end with `bucket`. */
export function sumBuckets(buckets: Buckets | undefined, bucket: number, width: number): number {
  let sum = 0;
  for (let i = 0; buckets !== undefined && i < buckets.length; i += 2) {
    const at = buckets[i] ?? 0;
    if (at > bucket - width && at <= bucket) sum += buckets[i + 1] ?? 0;
  }
  return sum;
}

/** How common a sketch’s terms are in a project, by week; the last cell counts sketches. */
export type TermCounts = Uint32Array;

const totalCell = bounds.termCells;

export function createTermCounts(): TermCounts {
  return new Uint32Array(totalCell + 1);
}

/** Counts one sketch. */
export function addTerms(counts: TermCounts, cells: readonly (number | null)[]): void {
  for (const cell of [totalCell, ...cells])
    if (cell !== null) counts[cell] = Math.min(bounds.termCountMax, (counts[cell] ?? 0) + 1);
}

/** Frequencies over the generations given. */
export function readTerms(
  generations: readonly (TermCounts | undefined)[],
  cells: readonly (number | null)[],
): { total: number; counts: (number | null)[] } {
  const sum = (cell: number): number => generations.reduce((total, counts) => total + (counts?.[cell] ?? 0), 0);
  return { total: sum(totalCell), counts: cells.map((cell) => (cell === null ? null : sum(cell))) };
}
