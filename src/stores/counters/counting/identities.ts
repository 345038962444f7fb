/**
 * A device or a respondent of a scope: its sessions by the hour, the distinct others seen with it, and the latest sessions, which link and which are
 * candidates. One value holds all three, each behind how many it has, the sessions last.
 */
import { bounds } from '../bounds.js';
import { packTime, tokenOf, u8, u8At, type Bytes } from './bytes.js';
import { within, isOfLastDay, type Call } from './call.js';
import { admit } from './guard.js';
import { addSighting, dropEntries, entryBytes, noteEntry } from './sightings.js';
import { payloadOf } from './step.js';
import { tally, tallyBytes } from './tallies.js';

interface Identity {
  readonly sessions: Bytes;
  readonly others: Bytes;
  readonly sightings: Bytes;
}

const none: Identity = { sessions: '', others: '', sightings: '' };

function readIdentity(value: Bytes | null | undefined): Identity {
  const payload = payloadOf(value);
  if (payload === '') return none;
  const othersAt = 1 + u8At(payload, 0) * tallyBytes;
  const sightingsAt = othersAt + 1 + u8At(payload, othersAt) * entryBytes;
  return {
    sessions: payload.slice(1, othersAt),
    others: payload.slice(othersAt + 1, sightingsAt),
    sightings: payload.slice(sightingsAt),
  };
}

const packIdentity = ({ sessions, others, sightings }: Identity): Bytes =>
  u8(sessions.length / tallyBytes) + sessions + u8(others.length / entryBytes) + others + sightings;

export const sightingsOf = (value: Bytes | null | undefined): Bytes => readIdentity(value).sightings;

export interface CountedIdentity {
  readonly sessionsDay: number;
  /** Nobody counted is nothing measured. */
  readonly others: number | null;
  /** Sessions before this one, and with it. */
  readonly before: Bytes;
  readonly joined: Bytes;
}

export interface Counting {
  readonly kind: 'R' | 'D';
  readonly ref: string;
  readonly packed: Bytes;
  /** A device of a respondent, or the other way round, counted over `othersMs`. */
  readonly other: Bytes | null;
  readonly othersMs: number;
}

export function countIdentity(
  call: Call,
  { kind, ref, packed, other, othersMs }: Counting,
  before: Bytes | null | undefined,
): CountedIdentity {
  const known = readIdentity(before);
  const add = isOfLastDay(call) && admit(call.guard, tokenOf(kind, call.refs.scope, packed));
  const { tallies: sessions, sum: sessionsDay } = tally(known.sessions, call.hour, bounds.hoursPerDay, add);
  const noted = other !== null && within(call, othersMs) ? noteEntry(known.others, other, call.stamp) : known.others;
  const others = dropEntries(noted, packTime(Math.max(0, call.nowMs - othersMs))).slice(
    0,
    bounds.distinctCap * entryBytes,
  );
  const joined = joinSightings(call, known.sightings);
  const next = { sessions, others, sightings: joined };
  if (sessions !== '' || others !== '' || joined !== '')
    call.writes.replace(call.keys.identity(kind, ref), before, packIdentity(next), bounds.candidateMs);
  const seen = others.length / entryBytes;
  return { sessionsDay, others: seen > 0 ? seen : null, before: known.sightings, joined };
}

/** A token next to a deviceHash, of which nothing is counted. */
export function linkToken(call: Call, token: string, before: Bytes | null | undefined) {
  const known = readIdentity(before);
  const joined = joinSightings(call, known.sightings);
  if (joined !== known.sightings)
    call.writes.replace(
      call.keys.identity('D', token),
      before,
      packIdentity({ ...known, sightings: joined }),
      bounds.candidateMs,
    );
  return { before: known.sightings, joined };
}

const joinSightings = (call: Call, sightings: Bytes): Bytes =>
  within(call, bounds.candidateMs)
    ? addSighting(sightings, call.ref, call.stamp, packTime(call.clockMs - bounds.candidateMs), bounds.linkMembersMax)
    : sightings;
