/**
 * Sessions seen under a key (a device, a respondent, an address, a band), the latest first, bounded.
 */
export type Sightings = [session: string, atMs: number][];

/** Notes a session; one that was noted within `keepMs` keeps its time and place. */
export function addSighting(sightings: Sightings, session: string, atMs: number, keepMs: number, max: number): void {
  const known = sightings.findIndex(([seen]) => seen === session);
  if (known >= 0 && (sightings[known]?.[1] ?? 0) > atMs - keepMs) return;
  if (known >= 0) sightings.splice(known, 1);
  sightings.unshift([session, atMs]);
  if (sightings.length > max) sightings.length = max;
}
