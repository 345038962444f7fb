/**
 * Sessions seen under a key (a device, a respondent, an address, a band), the latest first, bounded. A list is never
 * changed in place, so that the many keys of one session may share theirs.
 */
import { bounds } from '../bounds.js';

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

/**
 * Sessions by the bands of their sketches, in two generations: the current one takes over what it touches; the one before is dropped
 * whole.
 */
export interface Bands {
  beganMs: number;
  sessions: number;
  current: Map<string, Sightings>;
  before: Map<string, Sightings>;
}

export function createBands(nowMs: number): Bands {
  return { beganMs: nowMs, sessions: 0, current: new Map(), before: new Map() };
}

/** Answers who was seen under each band, and notes the only session of `alone` there. The call comes at `clockMs`. */
export function exchangeBands(
  bands: Bands,
  keys: readonly string[],
  alone: readonly [Sighting],
  clockMs: number,
): Sightings[] {
  const nowMs = alone[0][1];
  if (bands.sessions >= bounds.bandGenerationSessions || nowMs - bands.beganMs >= bounds.similarMs) {
    bands.before = bands.current;
    bands.current = new Map();
    bands.beganMs = nowMs;
    bands.sessions = 0;
  }
  let added = false;
  const seen = keys.map((key) => {
    const known = bands.current.get(key) ?? bands.before.get(key);
    const next =
      known === undefined ? alone : addSighting(known, alone, clockMs - bounds.similarMs, bounds.bandSessionsMax);
    if (next !== known) added = true;
    bands.current.set(key, next);
    return known ?? [];
  });
  if (added) bands.sessions += 1;
  return seen;
}

export interface GraphReader {
  /** Tie keys of a session; those of an address begin with A. */
  linksOf(session: string): readonly string[];
  membersOf(link: string): Sightings | undefined;
}

/**
 * Hard links: the same device, respondent, or address and device class within 10 minutes. A key with more than 50 sessions is a hub and
 * links nobody; the walk ends at 64. Counts the sessions linked to `session`, directly and through others, among those seen since
 * `sinceMs`.
 */
export function walkGraph(reader: GraphReader, session: string, sinceMs: number): { direct: number; linked: number } {
  const visited = new Set([session]);
  const crossed = new Set<string>();
  let frontier = [session];
  let direct: number | null = null;
  while (frontier.length > 0) {
    const found: string[] = [];
    for (const node of frontier) {
      for (const link of reader.linksOf(node)) {
        const byTime = link.startsWith('A');
        // An address links different sessions at different times, so its link is checked for each session.
        if (!byTime && crossed.has(link)) continue;
        crossed.add(link);
        for (const neighbor of neighborsOf(reader.membersOf(link) ?? [], byTime ? node : null, sinceMs)) {
          if (visited.has(neighbor) || visited.size > bounds.visitedMax) continue;
          visited.add(neighbor);
          found.push(neighbor);
        }
      }
    }
    direct ??= found.length;
    frontier = visited.size > bounds.visitedMax ? [] : found;
  }
  return { direct: direct ?? 0, linked: visited.size - 1 - (direct ?? 0) };
}

function neighborsOf(members: Sightings, near: string | null, sinceMs: number): string[] {
  const recent = members.filter(([, atMs]) => atMs >= sinceMs);
  if (recent.length > bounds.hubMembers) return [];
  if (near === null) return recent.map(([session]) => session);
  const own = members.find(([session]) => session === near);
  if (own === undefined) return [];
  return recent.filter(([, atMs]) => Math.abs(atMs - own[1]) <= bounds.addressLinkMs).map(([session]) => session);
}
