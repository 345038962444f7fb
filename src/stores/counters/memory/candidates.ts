/**
 * Earlier sessions of a scope that may be the same person or device: found by respondent, device or token (30 days), by an unshared address
 * (7 days) and by shared bands (24 h). At most 32: the latest that share an identifier first, so that a popular phone’s twins never crowd
 * out a known respondent; then at most 4 from the same address, and 8 that merely look alike, those that share the most and the rarest bands. A band of
 * many sessions says little of each, and the latest of those alone would hide an own device of this morning behind twins of this minute. Returned latest first.
 */
import type { DeviceSketch, DuplicateCandidate } from '../../../contract/facts.js';
import { bounds, inOrder } from '../bounds.js';
import type { Sightings } from './sightings.js';

/** The record of a session, to compare it with later ones. */
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
  readonly token: Sightings;
  readonly address: Sightings;
  readonly bands: readonly Sightings[];
}

interface Sighted {
  atMs: number;
  readonly via: DuplicateCandidate['via'];
  /** The sum over all bands that it was found in. */
  worth: number;
}
type Found = Map<string, Sighted>;

/** A band is worth this divided by the number of its recent sessions: a whole number for each of 1 to 8. */
const bandWorth = 840;

/** A candidate by its record, which other tables share. */
export interface Picked {
  readonly session: string;
  readonly via: DuplicateCandidate['via'];
  readonly record: SessionRecord;
}

export const candidateOf = ({ session, via, record }: Picked): DuplicateCandidate => ({ session, via, ...record });

/** Picks the candidates and reads their records; one whose record is gone is left out. */
export function pickCandidates(
  session: string,
  nowMs: number,
  sources: Sources,
  recordOf: (session: string) => SessionRecord | undefined,
): Picked[] {
  const exact: Found = new Map();
  gather(exact, sources.respondent, 'respondent', nowMs - bounds.candidateMs, session);
  gather(exact, sources.device, 'device', nowMs - bounds.candidateMs, session);
  gather(exact, sources.token, 'token', nowMs - bounds.candidateMs, session);
  const picked = latest(exact, bounds.candidatesMax);
  const near: Found = new Map();
  gather(near, sources.address, 'address', nowMs - bounds.addressMs, session);
  for (const known of exact.keys()) near.delete(known);
  // These stay in their order, the latest first.
  for (const one of [...near].slice(0, Math.min(bounds.addressMax, bounds.candidatesMax - picked.length))) {
    picked.push(one);
    exact.set(...one);
  }
  const similar: Found = new Map();
  for (const band of sources.bands) weigh(similar, band, nowMs - bounds.similarMs, session);
  for (const known of exact.keys()) similar.delete(known);
  picked.push(...best(similar, Math.min(bounds.similarMax, bounds.candidatesMax - picked.length)));
  const candidates: Picked[] = [];
  for (const [found, { via }] of picked) {
    const record = recordOf(found);
    if (record !== undefined) candidates.push({ session: found, via, record });
  }
  return candidates.sort((a, b) => inOrder(a.record.atMs, a.session, b.record.atMs, b.session));
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
    if (known === undefined) found.set(session, { atMs, via, worth: 0 });
    else known.atMs = Math.max(known.atMs, atMs);
  }
}

function weigh(found: Found, band: Sightings, oldestMs: number, self: string): void {
  const young = band.filter(([, atMs]) => atMs > oldestMs);
  for (const [session, atMs] of young) {
    if (session === self) continue;
    const known = found.get(session) ?? { atMs, via: 'similar', worth: 0 };
    known.atMs = Math.max(known.atMs, atMs);
    known.worth += bandWorth / young.length;
    found.set(session, known);
  }
}

const byTime = ([a, x]: [string, Sighted], [b, y]: [string, Sighted]): number => inOrder(x.atMs, a, y.atMs, b);

function latest(found: Found, max: number): [string, Sighted][] {
  return [...found].sort(byTime).slice(0, max);
}

function best(found: Found, max: number): [string, Sighted][] {
  return [...found].sort((one, other) => other[1].worth - one[1].worth || byTime(one, other)).slice(0, max);
}
