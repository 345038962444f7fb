/**
 * How the places that are free are shared among the endpoints that have work: evenly, and what one cannot use goes to the others. However
 * much waits for one endpoint, the next one in line gets as many places as it.
 */

/** How many places each gets, in the order of `rooms`; together at most `places`, none more than its room. */
export function shareOut(rooms: readonly number[], places: number): readonly number[] {
  const shares = rooms.map(() => 0);
  let left = places;
  let open = rooms.map((_room, index) => index);
  while (left > 0 && open.length > 0) {
    const each = Math.max(1, Math.floor(left / open.length));
    for (const index of open) {
      const given = Math.min(each, left, (rooms[index] ?? 0) - (shares[index] ?? 0));
      shares[index] = (shares[index] ?? 0) + given;
      left -= given;
    }
    open = open.filter((index) => (shares[index] ?? 0) < (rooms[index] ?? 0));
  }
  return shares;
}
