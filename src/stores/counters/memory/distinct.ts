/**
 * Distinct members seen in a window: each with when it was seen last (a time or the number of a bucket).
 * Bounded: beyond `cap` the members seen longest ago are let go, and the count stays at `cap`.
 * Most sets never have a second member, and a Map takes three times the memory of a pair: one member is a pair, several are a Map.
 */
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
