/**
 * The record of a session, to compare it with later ones, and its links to them. A session without any identifier cannot be found: what an
 * earlier call said of it stands then. So does what a later call said, before a session that is restored.
 */
import type { DuplicateCandidate } from '../../../contract/facts.js';
import { bounds } from '../bounds.js';
import {
  bufferOf,
  noRef,
  packRefOrNone,
  packTime,
  refBytes,
  timeAt,
  timeBytes,
  u8,
  u8At,
  unpackRefOrNone,
  type Bytes,
} from './bytes.js';
import { within, type Call } from './call.js';
import { readSketch } from './sketch-bytes.js';
import { payloadOf } from './step.js';

/** The kind of a link, its reference, and of an address the class of the device: D, R or A. */
export type Link = Bytes;

export const isAddressLink = (link: Link): boolean => link.startsWith('A');
const linkBytes = (kind: string): number => 1 + refBytes + (kind === 'A' ? 4 : 0);

/** First scored, respondent, device, prefix, token, address, last linked, and how many links follow. */
const refsAt = timeBytes;
const placesOf = ['respondent', 'device', 'prefix', 'token', 'address'] as const;
const linkedAt = refsAt + placesOf.length * refBytes;
const linksAt = linkedAt + timeBytes + 1;

export interface SessionRecord {
  /** The stored value. */
  readonly bytes: Bytes;
  readonly firstAtMs: number;
  readonly refs: Bytes;
  readonly linkedAtMs: number;
  readonly links: readonly Link[];
  readonly sketch: Bytes;
}

export function readRecord(value: Bytes | null | undefined): SessionRecord | null {
  const payload = payloadOf(value);
  if (payload === '') return null;
  const links: Link[] = [];
  let at = linksAt;
  for (let left = u8At(payload, linksAt - 1); left > 0; left -= 1) {
    const end = at + linkBytes(payload.charAt(at));
    links.push(payload.slice(at, end));
    at = end;
  }
  return {
    bytes: value ?? '',
    firstAtMs: timeAt(payload, 0),
    refs: payload.slice(refsAt, linkedAt),
    linkedAtMs: timeAt(payload, linkedAt),
    links,
    sketch: payload.slice(at),
  };
}

/** The links of a session that was linked within a day before the call. */
export const linksOf = (record: SessionRecord | null, clockMs: number): readonly Link[] =>
  record !== null && clockMs - record.linkedAtMs < bounds.dayMs ? record.links : [];

/** The session’s links with those of this call among them. */
export function joinLinks(known: readonly Link[], own: readonly Link[]): readonly Link[] {
  const links = [...known];
  for (const link of own) if (links.length < bounds.linksMax && !known.includes(link)) links.push(link);
  return links;
}

export interface Remembered {
  readonly token: string | null;
  readonly sketch: Bytes;
  readonly links: readonly Link[];
  readonly isFindable: boolean;
  readonly isLinked: boolean;
}

export function writeRecord(call: Call, before: Bytes | null | undefined, of: Remembered): void {
  if (!within(call, bounds.candidateMs) || (!of.isFindable && !of.isLinked)) return;
  const { refs, nowMs, guard, restoring, session } = call;
  const known = readRecord(before);
  let firstAtMs = of.isFindable ? guard.firstAtMs : 0;
  let linkedAtMs = of.isLinked ? nowMs : 0;
  let stands = false;
  if (known !== null) {
    linkedAtMs = Math.max(known.linkedAtMs, linkedAtMs);
    if (!of.isFindable) firstAtMs = known.firstAtMs;
    stands = known.firstAtMs !== 0 && (!of.isFindable || (restoring && guard.lastAtMs > nowMs));
  }
  const head =
    stands && known !== null
      ? known.refs
      : (refs.respondent ?? noRef) +
        (refs.device ?? noRef) +
        refs.prefix +
        packRefOrNone(of.token) +
        (session.addressShared ? noRef : refs.address);
  const sketch = stands && known !== null ? known.sketch : of.sketch;
  const payload = packTime(firstAtMs) + head + packTime(linkedAtMs) + u8(of.links.length) + of.links.join('') + sketch;
  const keepMs = firstAtMs !== 0 ? bounds.candidateMs : bounds.dayMs;
  call.writes.replace(call.keys.record(session.session), before, payload, keepMs);
}

export function candidateOf(
  session: string,
  via: DuplicateCandidate['via'],
  record: SessionRecord,
): DuplicateCandidate {
  const ref = (place: number): string | null => unpackRefOrNone(record.refs, place * refBytes);
  const sketch = bufferOf(record.sketch);
  return {
    session,
    atMs: record.firstAtMs,
    respondent: ref(0),
    device: ref(1),
    prefix: ref(2),
    token: ref(3),
    address: ref(4),
    sketch: readSketch(sketch, 0, sketch.length),
    via,
  };
}
