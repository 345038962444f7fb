/**
 * Rates of a device, a respondent, an address, a prefix and a source within a scope, and how common the session’s
 * terms are in its project. Counting happens in the same step as reading, so that the session itself is included.
 * All counts of one thing are under one key. Networks and sources count people: a person who was counted
 * there within a day already adds nothing (see persons.ts).
 */
import type { CountFacts } from '../../../contract/facts.js';
import { bounds, hourOf, locateTerms, slotOf } from '../bounds.js';
import { countSource, createBaseline, restoreSource, type Baseline } from './baseline.js';
import { within, type CountingCall } from './counting-call.js';
import {
  addDistinct,
  addTerms,
  addToBucket,
  type Buckets,
  countDistinct,
  createBuckets,
  createTermCounts,
  type Distinct,
  readTerms,
  sortDistinct,
  sumBuckets,
  type TermCounts,
} from './distinct.js';
import { type Keyspace, shortName, type Table } from './keyspace.js';
import { createPersons, personKeysMax, type IsRepeat } from './persons.js';

type VelocityFacts = Omit<CountFacts, 'candidates' | 'neighborhood'>;
type AddressFacts = Pick<VelocityFacts, 'addressDevicesHour' | 'addressRespondentsHour' | 'addressSessionsHour'>;

/** A device or a respondent: its sessions by the hour, and the distinct others seen with it; null while there were none. */
interface SubjectCounts {
  readonly sessions: Buckets;
  others: Distinct | null;
}

/** All by narrow buckets. */
interface AddressCounts {
  readonly sessions: Buckets;
  devices: Distinct | null;
  respondents: Distinct | null;
}

/** People on a network, or on an address that strangers share. */
interface PeopleCounts {
  readonly slots: Buckets;
  readonly hours: Buckets;
}

const twoHoursMs = 2 * bounds.hourMs;
const twoDaysMs = 2 * bounds.dayMs;

/** Keys that one call may add: of the device, the respondent, the address, that as a shared one, the host, the prefix, the source, the terms, and the person’s places. */
export const velocityKeysMax = 8 + personKeysMax;

export function createVelocity(keyspace: Keyspace): (call: CountingCall) => VelocityFacts {
  const subjects = keyspace.table<SubjectCounts>('subjects');
  const addresses = keyspace.table<AddressCounts>('addresses');
  const people = keyspace.table<PeopleCounts>('people');
  const baselines = keyspace.table<Baseline>('baselines');
  const terms = keyspace.table<TermCounts>('terms');
  const personOf = createPersons(keyspace);

  return (call) => {
    const { respondent, device, address, prefix, scope, addressShared, host } = call.session;
    const ofDevice = device === null ? null : countSubject(subjects, call, 'd', device, respondent, bounds.dayMs);
    const ofRespondent =
      respondent === null ? null : countSubject(subjects, call, 'r', respondent, device, bounds.weekMs);
    const isRepeat = personOf(call);
    const ofAddress = countAddress(addresses, call, address);
    const onNetwork = countPeople(people, call, isRepeat, `p${scope}${prefix}`, prefix);
    const onShared = addressShared ? countPeople(people, call, isRepeat, `n${scope}${address}`, address) : null;
    return {
      deviceSessionsDay: ofDevice?.sessionsDay ?? null,
      deviceRespondentsDay: ofDevice?.others ?? null,
      respondentDay: ofRespondent?.sessionsDay ?? null,
      respondentDevicesWeek: ofRespondent?.others ?? null,
      ...ofAddress,
      prefixSessionsHour: onNetwork.hour,
      prefixSessionsDay: onNetwork.day,
      sharedAddressHour: onShared?.hour ?? null,
      sharedAddressDay: onShared?.day ?? null,
      source: sourceRate(baselines, call, isRepeat),
      terms: termFrequencies(terms, call),
      hostPeopleHour: host === null ? null : mostPeople(countAddress(addresses, call, host)),
    };
  };
}

const keyIn = ({ namespace, session }: CountingCall, kind: string, ref: string): string =>
  `${shortName(`${namespace}:${session.scope}`)}${kind}${ref}`;

/** Whether the session is new to a counter of its scope that still looks back to it. */
const admitWithin = (call: CountingCall, windowMs: number, kind: string, ref: string): boolean =>
  within(call, windowMs) && call.admit(`${kind}${call.session.scope}${ref}`);

/** `other` is who came with the subject, counted over `othersMs`. */
function countSubject(
  table: Table<SubjectCounts>,
  call: CountingCall,
  kind: 'd' | 'r',
  ref: string,
  other: string | null,
  othersMs: number,
): { readonly sessionsDay: number; readonly others: number | null } {
  const { nowMs } = call.session;
  const key = keyIn(call, kind, ref);
  const hour = hourOf(nowMs);
  const add = admitWithin(call, bounds.dayMs, kind, ref);
  const member = within(call, othersMs) ? other : null;
  const keepMs = member === null ? twoDaysMs : 2 * othersMs;
  const kept =
    add || member !== null
      ? table.take(key, nowMs, keepMs, () => ({ sessions: createBuckets(hour), others: null }))
      : table.get(key, nowMs);
  if (kept === undefined) return { sessionsDay: 0, others: null };
  if (add) addToBucket(kept.sessions, hour, bounds.hoursPerDay);
  if (member !== null) kept.others = addDistinct(kept.others, member, nowMs);
  return {
    sessionsDay: sumBuckets(kept.sessions, hour, bounds.hoursPerDay),
    others: countSeen(call, kept.others, nowMs - othersMs, bounds.distinctCap),
  };
}

/** Most people on one IPv6 address, which one device has. */
function mostPeople({ addressDevicesHour: devices, addressRespondentsHour: respondents }: AddressFacts): number | null {
  return devices === null && respondents === null ? null : Math.max(devices ?? 0, respondents ?? 0);
}

function countAddress(table: Table<AddressCounts>, call: CountingCall, address: string): AddressFacts {
  const { nowMs, device, respondent } = call.session;
  const slot = slotOf(nowMs);
  const key = keyIn(call, 'a', address);
  const add = admitWithin(call, bounds.hourMs, 'a', address);
  const isNow = within(call, bounds.hourMs);
  const kept = isNow
    ? table.take(key, nowMs, twoHoursMs, () => ({ sessions: createBuckets(slot), devices: null, respondents: null }))
    : table.get(key, nowMs);
  if (kept === undefined) return { addressDevicesHour: null, addressRespondentsHour: null, addressSessionsHour: 0 };
  if (add) addToBucket(kept.sessions, slot, bounds.slotsPerHour);
  if (isNow && device !== null) kept.devices = addDistinct(kept.devices, device, slot);
  if (isNow && respondent !== null) kept.respondents = addDistinct(kept.respondents, respondent, slot);
  const seen = (members: Distinct | null): number | null =>
    countSeen(call, members, slot - bounds.slotsPerHour, bounds.distinctMax);
  return {
    addressDevicesHour: seen(kept.devices),
    addressRespondentsHour: seen(kept.respondents),
    addressSessionsHour: sumBuckets(kept.sessions, slot, bounds.slotsPerHour),
  };
}

/** `place` names it among those where a person was counted. */
function countPeople(
  table: Table<PeopleCounts>,
  call: CountingCall,
  isRepeat: IsRepeat,
  place: string,
  ref: string,
): { readonly hour: number; readonly day: number } {
  const { nowMs } = call.session;
  const [slot, hour] = [slotOf(nowMs), hourOf(nowMs)];
  const key = keyIn(call, 'f', ref);
  const repeated = isRepeat(place);
  const add = within(call, bounds.dayMs) && call.admit(place) && !repeated;
  const kept = add
    ? table.take(key, nowMs, twoDaysMs, () => ({ slots: createBuckets(slot), hours: createBuckets(hour) }))
    : table.get(key, nowMs);
  if (add && kept !== undefined) {
    addToBucket(kept.slots, slot, bounds.slotsPerHour);
    addToBucket(kept.hours, hour, bounds.hoursPerDay);
  }
  return {
    hour: sumBuckets(kept?.slots, slot, bounds.slotsPerHour),
    day: sumBuckets(kept?.hours, hour, bounds.hoursPerDay),
  };
}

/** How many were seen after `oldest`. Nobody is nothing measured: null. */
function countSeen({ restoring }: CountingCall, members: Distinct | null, oldest: number, cap: number): number | null {
  if (members === null) return null;
  if (restoring) sortDistinct(members);
  const count = countDistinct(members, oldest, cap);
  return count === 0 ? null : count;
}

function sourceRate(table: Table<Baseline>, call: CountingCall, isRepeat: IsRepeat): VelocityFacts['source'] {
  const { namespace, session, restoring } = call;
  const hour = hourOf(session.nowMs);
  if (session.source === null || !within(call, bounds.candidateMs)) return null;
  const baseline = table.take(`${namespace}:${session.source}`, session.nowMs, bounds.candidateMs, () =>
    createBaseline(hour),
  );
  const repeated = isRepeat(`s${session.source}`);
  const add = call.admit(`s${session.source}`) && !repeated;
  if (!restoring || hour >= baseline.hour) return countSource(baseline, hour, add);
  if (add) restoreSource(baseline, hour);
  return null;
}

function termFrequencies(table: Table<TermCounts>, call: CountingCall): VelocityFacts['terms'] {
  const { namespace, session } = call;
  if (session.sketch === null || !within(call, 2 * bounds.weekMs)) return null;
  const cells = locateTerms(session.sketch);
  const week = Math.floor(session.nowMs / bounds.weekMs);
  const keyOf = (generation: number): string => `${namespace}:${generation}`;
  if (call.admit('t')) addTerms(table.take(keyOf(week), session.nowMs, 2 * bounds.weekMs, createTermCounts), cells);
  return readTerms([table.get(keyOf(week), session.nowMs), table.get(keyOf(week - 1), session.nowMs)], cells);
}
