/**
 * Earlier sessions of a scope that may be the same person or device: found by respondent, by device (30 days) and by
 * shared bands (24 h). At most 32: the latest that share an identifier first, then the latest that merely look alike,
 * so that a popular phone’s twins never crowd out a known respondent. Returned latest first.
 */
import type { DeviceSketch, DuplicateCandidate } from '../../../contract/facts.js';
import { bounds } from '../bounds.js';
import { sortCandidates } from '../candidate-order.js';
import type { Sightings } from './sightings.js';

/** What is kept of a session to be compared with later ones. */
export interface SessionRecord {
  readonly atMs: number;
  readonly respondent: string | null;
  readonly device: string | null;
  readonly prefix: string | null;
  readonly token: string | null;
  /** null where strangers share it. */
  readonly address: string | null;
  readonly sketch: DeviceSketch | null;
}

export interface Sources {
  readonly respondent: Sightings;
  readonly device: Sightings;
  readonly bands: readonly Sightings[];
}

type Found = Map<string, { atMs: number; via: DuplicateCandidate['via'] }>;

/** Picks the candidates and reads their records; one whose record is gone is left out. */
export function pickCandidates(
  session: string,
  nowMs: number,
  sources: Sources,
  recordOf: (session: string) => SessionRecord | undefined,
): DuplicateCandidate[] {
  const exact: Found = new Map();
  gather(exact, sources.respondent, 'respondent', nowMs - bounds.candidateMs, session);
  gather(exact, sources.device, 'device', nowMs - bounds.candidateMs, session);
  const picked = latest(exact, bounds.candidatesMax);
  const similar: Found = new Map();
  for (const band of sources.bands) gather(similar, band, 'similar', nowMs - bounds.similarMs, session);
  for (const known of exact.keys()) similar.delete(known);
  picked.push(...latest(similar, bounds.candidatesMax - picked.length));
  const candidates = picked.flatMap(([found, { via }]) => {
    const record = recordOf(found);
    return record === undefined ? [] : [{ session: found, via, ...record }];
  });
  return sortCandidates(candidates);
}

function gather(
  found: Found,
  sightings: Sightings,
  via: DuplicateCandidate['via'],
  oldestMs: number,
  self: string,
): void {
  for (const [session, atMs] of sightings) {
    if (session === self || atMs <= oldestMs) continue;
    const known = found.get(session);
    if (known === undefined) found.set(session, { atMs, via });
    else known.atMs = Math.max(known.atMs, atMs);
  }
}

function latest(found: Found, max: number): [string, { atMs: number; via: DuplicateCandidate['via'] }][] {
  return [...found].sort(([a, x], [b, y]) => y.atMs - x.atMs || (a < b ? -1 : 1)).slice(0, max);
}
