/**
 * Sessions seen under a key (a device, a respondent, an address, a band), the latest first, bounded.
 */
export type Sightings = [session: string, atMs: number][];

/** Notes a session; one that stands already keeps its time and place. */
export function addSighting(sightings: Sightings, session: string, atMs: number, max: number): void {
  if (sightings.some(([seen]) => seen === session)) return;
  sightings.unshift([session, atMs]);
  if (sightings.length > max) sightings.length = max;
}
