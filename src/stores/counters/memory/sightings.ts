/**
 * Sessions seen under a key (a device, a respondent, an address, a band), the latest first, bounded. A list is never
 * changed in place, so that the many keys of one session may share theirs.
 */
export type Sightings = readonly Sighting[];
export type Sighting = readonly [session: string, atMs: number];

/** The list with the session of the only one in `alone` where its time belongs; the same list where it was noted after `sinceMs`, or is older than all of a full list. */
export function addSighting(sightings: Sightings, alone: readonly [Sighting], sinceMs: number, max: number): Sightings {
  if (sightings.length === 0) return alone;
  const [[session, atMs]] = alone;
  const known = sightings.find(([seen]) => seen === session);
  if (known !== undefined && known[1] > sinceMs) return sightings;
  const others = known === undefined ? sightings : sightings.filter((sighting) => sighting !== known);
  const at = others.findIndex(([, seenMs]) => seenMs <= atMs);
  // Joined by concat, which leaves no room behind the last: most lists never grow.
  if (at === 0) return alone.concat(others.slice(0, max - 1));
  const place = at === -1 ? others.length : at;
  if (known === undefined && place >= max) return sightings;
  return others.slice(0, place).concat(alone, others.slice(place)).slice(0, max);
}
