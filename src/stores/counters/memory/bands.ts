/**
 * Sessions of a scope by the bands of their sketches, in two generations: the current one is written, and takes over
 * what it touches of the one before. A generation ends after a day or when it is full, and the one before it is let
 * go whole: nothing is swept entry by entry, and a scope’s bands stay bounded.
 */
import { bounds } from '../bounds.js';
import { addSighting, type Sighting, type Sightings } from './sightings.js';

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
