/**
 * Distinct members seen in a window: each with when it was seen last (a time or the number of a bucket).
 * Bounded: beyond `cap` the members seen longest ago are let go, and the count stays at `cap`.
 */
export type Distinct = Map<string, number>;

/** Notes a member as seen at `at`; a later sighting stands. */
export function addDistinct(members: Distinct, member: string, at: number): void {
  const seen = members.get(member);
  if (seen !== undefined && seen > at) return;
  members.delete(member);
  members.set(member, at);
}

/** Puts the members in the order of sighting again, after one was added that was seen before others. */
export function sortDistinct(members: Distinct): void {
  const sorted = [...members].sort(([, a], [, b]) => a - b);
  members.clear();
  for (const [member, at] of sorted) members.set(member, at);
}

/** Drops what was seen at or before `oldest`, then the longest unseen beyond `cap`, and counts the rest. */
export function countDistinct(members: Distinct, oldest: number, cap: number): number {
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
