/**
 * Sessions seen under a key (a device, a respondent, an address, a band), the latest first, bounded. A list is never
 * changed in place, so that the many keys of one session may share theirs.
 */
export type Sightings = readonly (readonly [session: string, atMs: number])[];

/** The list with the session of `fresh` in front; the same list where that was noted within `keepMs`. */
export function addSighting(sightings: Sightings, fresh: Sightings[number], keepMs: number, max: number): Sightings {
  const [session, atMs] = fresh;
  const known = sightings.find(([seen]) => seen === session);
  if (known !== undefined && known[1] > atMs - keepMs) return sightings;
  return [fresh, ...sightings.filter((sighting) => sighting !== known).slice(0, max - 1)];
}
