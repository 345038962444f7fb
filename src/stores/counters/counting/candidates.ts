/**
 * Earlier sessions of a scope that may be the same person or device: found by respondent, device or token (30 days), by an unshared address (7 days) and by
 * shared bands (24 h). At most 32: the latest that share an identifier first, so that a popular phone’s twins never crowd out a known respondent; then at
 * most 4 from the same address, and 8 that merely look alike, those that share the most and the rarest bands. A band of many sessions says little of each,
 * and the latest of those alone would hide an own device of this morning behind twins of this minute.
 */
import type { DuplicateCandidate } from '../../../contract/facts.js';
import { bounds } from '../bounds.js';
import { packTime, refBytes, type Bytes } from './bytes.js';
import type { Call } from './call.js';
import { entryBytes, stampAt } from './sightings.js';

type Via = DuplicateCandidate['via'];

/** Earlier sessions with the same of each. */
export interface Sources {
  readonly respondent: Bytes;
  readonly device: Bytes;
  readonly token: Bytes;
  readonly address: Bytes;
}

interface Sighted {
  readonly session: Bytes;
  readonly via: Via;
  stamp: Bytes;
  /** The sum over all bands that it was found in. */
  worth: number;
}

/** A band is worth this divided by the number of its recent sessions: a whole number for each of 1 to 8. */
const bandWorth = 840;

const byTime = (one: Sighted, other: Sighted): number => {
  if (one.stamp !== other.stamp) return one.stamp > other.stamp ? -1 : 1;
  return one.session < other.session ? -1 : 1;
};

const nobody: ReadonlyMap<Bytes, Via> = new Map();

/** Sessions by how each was found. */
export function pickCandidates(
  call: Call,
  sources: Sources,
  bands: readonly (Bytes | null)[],
): ReadonlyMap<Bytes, Via> {
  const { nowMs, ref } = call;
  const { respondent, device, token, address } = sources;
  if (respondent + device + token + address === '' && bands.every((list) => list === null)) return nobody;
  const picked = new Map<Bytes, Via>();
  const exact = new Map<Bytes, Sighted>();
  const oldest = packTime(nowMs - bounds.candidateMs);
  for (const via of ['respondent', 'device', 'token'] as const) gather(exact, sources[via], via, oldest);
  exact.delete(ref);
  const sorted = [...exact.values()];
  if (sorted.length > bounds.candidatesMax) sorted.sort(byTime);
  for (const one of sorted.slice(0, bounds.candidatesMax)) picked.set(one.session, one.via);
  pickNear(call, sources.address, picked, exact);
  pickSimilar(call, bands, picked, exact);
  return picked;
}

function gather(found: Map<Bytes, Sighted>, list: Bytes, via: Via, oldest: Bytes): void {
  for (let at = 0; at < list.length; at += entryBytes) {
    const stamp = stampAt(list, at);
    // The rest is older still.
    if (stamp <= oldest) return;
    const session = list.slice(at, at + refBytes);
    const known = found.get(session);
    if (known === undefined) found.set(session, { session, via, stamp, worth: 0 });
    else if (stamp > known.stamp) known.stamp = stamp;
  }
}

/** The latest from the same address. */
function pickNear({ nowMs, ref }: Call, list: Bytes, picked: Map<Bytes, Via>, known: Map<Bytes, Sighted>): void {
  const most = Math.min(bounds.candidatesMax, picked.size + bounds.addressMax);
  const oldest = packTime(nowMs - bounds.addressMs);
  for (let at = 0; at < list.length && picked.size < most; at += entryBytes) {
    const session = list.slice(at, at + refBytes);
    if (stampAt(list, at) <= oldest) return;
    if (session !== ref && !known.has(session)) picked.set(session, 'address');
  }
}

function pickSimilar(
  { nowMs, ref }: Call,
  bands: readonly (Bytes | null)[],
  picked: Map<Bytes, Via>,
  known: ReadonlyMap<Bytes, Sighted>,
): void {
  const max = Math.min(bounds.similarMax, bounds.candidatesMax - picked.size);
  if (bands.length === 0 || max <= 0) return;
  const oldest = packTime(nowMs - bounds.similarMs);
  const similar = new Map<Bytes, Sighted>();
  for (const [list, shares] of sharesOf(bands)) weigh(similar, list, shares, oldest);
  const unknown = [...similar.values()].filter(
    ({ session }) => session !== ref && !known.has(session) && !picked.has(session),
  );
  unknown.sort((one, other) => other.worth - one.worth || byTime(one, other));
  for (const { session } of unknown.slice(0, max)) picked.set(session, 'similar');
}

/** Devices of one model share most of their bands, which then hold the same sessions. */
function sharesOf(bands: readonly (Bytes | null)[]): ReadonlyMap<Bytes, number> {
  const shares = new Map<Bytes, number>();
  for (const list of bands) if (list !== null) shares.set(list, (shares.get(list) ?? 0) + 1);
  return shares;
}

function weigh(found: Map<Bytes, Sighted>, list: Bytes, shares: number, oldest: Bytes): void {
  let end = list.length;
  while (end > 0 && stampAt(list, end - entryBytes) <= oldest) end -= entryBytes;
  const worth = (shares * bandWorth * entryBytes) / end;
  for (let at = 0; at < end; at += entryBytes) {
    const session = list.slice(at, at + refBytes);
    const stamp = stampAt(list, at);
    const known = found.get(session);
    if (known === undefined) found.set(session, { session, via: 'similar', stamp, worth });
    else {
      known.worth += worth;
      if (stamp > known.stamp) known.stamp = stamp;
    }
  }
}
