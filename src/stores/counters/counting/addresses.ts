/**
 * An address of a scope, or a single IPv6 address within one: its sessions, devices and respondents of the last hour; of one that strangers share, its
 * people; of any other, the sessions of each class of device, which it links. And people on a network.
 */
import { hashText } from '../../../contract/hash.js';
import { bounds } from '../bounds.js';
import { packTime, tokenOf, u32, u8, u8At, type Bytes } from './bytes.js';
import { isOfLastDay, within, type Call } from './call.js';
import { countCrowd, crowdBytesAt, noCrowd } from './crowds.js';
import { admit } from './guard.js';
import type { People } from './places.js';
import { addSighting, entryBytes, stampAt } from './sightings.js';
import { payloadOf } from './step.js';
import { tally, tallyBytes, type Tallied } from './tallies.js';

interface Address {
  sessions: Bytes;
  devices: Bytes;
  respondents: Bytes;
  /** People by five minutes and by the hour. */
  slots: Bytes;
  hours: Bytes;
  /** Behind each class its number of sessions and these. */
  readonly links: Map<Bytes, Bytes>;
}

const classBytes = 4;
const emptyTallies = u8(0);

export const classOf = (deviceClass: string): Bytes => u32(hashText(deviceClass));

const readTallies = (bytes: Bytes, at: number): Bytes => bytes.slice(at + 1, at + 1 + u8At(bytes, at) * tallyBytes);
const packTallies = (tallies: Bytes): Bytes => u8(tallies.length / tallyBytes) + tallies;

function readAddress(value: Bytes | null | undefined): Address {
  const links = new Map<Bytes, Bytes>();
  const payload = payloadOf(value);
  if (payload === '') return { sessions: '', devices: noCrowd, respondents: noCrowd, slots: '', hours: '', links };
  const sessions = readTallies(payload, 0);
  let at = 1 + sessions.length;
  const devices = payload.slice(at, at + crowdBytesAt(payload, at));
  at += devices.length;
  const respondents = payload.slice(at, at + crowdBytesAt(payload, at));
  at += respondents.length;
  const slots = readTallies(payload, at);
  at += 1 + slots.length;
  const hours = readTallies(payload, at);
  at += 1 + hours.length;
  while (at < payload.length) {
    const from = at + classBytes + 1;
    const end = from + u8At(payload, at + classBytes) * entryBytes;
    links.set(payload.slice(at, at + classBytes), payload.slice(from, end));
    at = end;
  }
  return { sessions, devices, respondents, slots, hours, links };
}

function packAddress({ sessions, devices, respondents, slots, hours, links }: Address): Bytes {
  let bytes = packTallies(sessions) + devices + respondents + packTallies(slots) + packTallies(hours);
  for (const [ofClass, list] of links) bytes += ofClass + u8(list.length / entryBytes) + list;
  return bytes;
}

/** The sessions that an address links. */
export const linkedAt = (value: Bytes | null | undefined, ofClass: Bytes): Bytes =>
  readAddress(value).links.get(ofClass) ?? '';

export interface CountedAddress {
  readonly devices: number | null;
  readonly respondents: number | null;
  readonly sessions: number;
  /** People on an address that strangers share; null of any other. */
  readonly shared: { readonly hour: number; readonly day: number } | null;
  /** Sessions of the class before this one, and with it; '' if it links none. */
  readonly before: Bytes;
  readonly joined: Bytes;
}

export interface CountedAt {
  readonly ref: string;
  readonly packed: Bytes;
  /** Absent: the people of a single address are only counted. */
  readonly people?: People;
}

export function countAddress(
  call: Call,
  { ref, packed, people }: CountedAt,
  before: Bytes | null | undefined,
): CountedAddress {
  const address = readAddress(before);
  const seen = within(call, bounds.hourMs) ? countSeen(call, packed, address) : nobody;
  const { addressShared, deviceClass } = call.session;
  const counted =
    people !== undefined && addressShared
      ? countPeople(call, people, tokenOf('n', call.refs.scope, packed), address)
      : null;
  const linked =
    people !== undefined && !addressShared && deviceClass !== null
      ? linkAddress(call, classOf(deviceClass), address)
      : { before: '', joined: '' };
  if (seen !== nobody || counted?.added === true || linked.joined !== linked.before)
    call.writes.replace(call.keys.address(ref), before, packAddress(address), keepMsOf(address));
  return { ...seen, ...linked, shared: counted };
}

const nobody = { devices: null, respondents: null, sessions: 0 };

/** It lives as long as its longest part is looked back to. */
function keepMsOf({ links, hours }: Address): number {
  if (links.size > 0) return bounds.addressMs;
  return hours === '' ? 2 * bounds.hourMs : 2 * bounds.dayMs;
}

/** Sessions, devices and respondents. */
function countSeen(call: Call, packed: Bytes, address: Address) {
  const { scope, device, respondent } = call.refs;
  const devices = countCrowd(address.devices, call.slot, device);
  const respondents = countCrowd(address.respondents, call.slot, respondent);
  const add = admit(call.guard, tokenOf('a', scope, packed));
  const { tallies, sum } = tally(address.sessions, call.slot, bounds.slotsPerHour, add);
  address.devices = devices.crowd;
  address.respondents = respondents.crowd;
  address.sessions = tallies;
  return { devices: devices.count || null, respondents: respondents.count || null, sessions: sum };
}

/** The sessions of a class before this one, and with it. */
function linkAddress(call: Call, ofClass: Bytes, { links }: Address) {
  const before = links.get(ofClass) ?? '';
  if (!within(call, bounds.addressMs)) return { before, joined: before };
  const since = packTime(call.clockMs - bounds.addressMs);
  for (const [other, list] of links) if (stampAt(list, 0) <= since) links.delete(other);
  const joined = addSighting(before, call.ref, call.stamp, since, bounds.linkMembersMax);
  links.set(ofClass, joined);
  return { before, joined };
}

interface CountedPeople {
  readonly hour: number;
  readonly day: number;
  readonly added: boolean;
}

/** People by the hour and the day; a person’s own repeats within a day are no burst. Puts the tallies in place. */
function countPeople(
  call: Call,
  { isRepeat }: People,
  place: Bytes,
  of: { slots: Bytes; hours: Bytes },
): CountedPeople {
  const repeated = isRepeat(place);
  const added = isOfLastDay(call) && admit(call.guard, place) && !repeated;
  const slots: Tallied = tally(of.slots, call.slot, bounds.slotsPerHour, added);
  const hours: Tallied = tally(of.hours, call.hour, bounds.hoursPerDay, added);
  if (added) {
    of.slots = slots.tallies;
    of.hours = hours.tallies;
  }
  return { hour: slots.sum, day: hours.sum, added };
}

/** People on the session’s network. */
export function countNetwork(
  call: Call,
  people: People,
  before: Bytes | null | undefined,
): Omit<CountedPeople, 'added'> {
  const { scope, prefix } = call.refs;
  const payload = payloadOf(before) || emptyTallies;
  const slots = readTallies(payload, 0);
  const tallies = { slots, hours: payload.slice(1 + slots.length) };
  const { hour, day, added } = countPeople(call, people, tokenOf('p', scope, prefix), tallies);
  if (added)
    call.writes.replace(
      call.keys.network(call.session.prefix),
      before,
      packTallies(tallies.slots) + tallies.hours,
      2 * bounds.dayMs,
    );
  return { hour, day };
}
