/**
 * Rates of a device, a respondent, an address, a prefix and a source within a scope, and how common the session’s
 * terms are in its project. Counting happens in the same step as reading, so that the session itself is included.
 * What is counted of one thing lies under one key. Networks and sources count people: who was in the scope within a day already (the same
 * respondent, or without one the same device) adds nothing to them.
 */
import type { CountFacts } from '../../../contract/facts.js';
import { bounds, hourOf, slotOf } from '../bounds.js';
import { locateTerms } from '../term-cells.js';
import { countSource, createBaseline, restoreSource, type Baseline } from './baseline.js';
import { addToBucket, createBuckets, sumBuckets, type Buckets } from './buckets.js';
import { within, type CountingCall } from './counting-call.js';
import { addDistinct, countDistinct, sortDistinct, type Distinct } from './distinct.js';
import type { Keyspace, Table } from './keyspace.js';
import { addTerms, createTermCounts, readTerms, type TermCounts } from './terms.js';

type VelocityFacts = Omit<CountFacts, 'candidates' | 'neighborhood'>;

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

interface PrefixCounts {
  readonly slots: Buckets;
  readonly hours: Buckets;
}

const twoHoursMs = 2 * bounds.hourMs;
const twoDaysMs = 2 * bounds.dayMs;

/** Keys that one call may add: of the device, the respondent, the address, the prefix, the source and the terms. */
export const velocityKeysMax = 6;

export function createVelocity(keyspace: Keyspace): (call: CountingCall) => VelocityFacts {
  const subjects = keyspace.table<SubjectCounts>('subjects');
  const addresses = keyspace.table<AddressCounts>('addresses');
  const prefixes = keyspace.table<PrefixCounts>('prefixes');
  const baselines = keyspace.table<Baseline>('baselines');
  const terms = keyspace.table<TermCounts>('terms');

  return (call) => {
    const { respondent, device } = call.session;
    const ofDevice = device === null ? null : countSubject(subjects, call, 'd', device, respondent, bounds.dayMs);
    const ofRespondent =
      respondent === null ? null : countSubject(subjects, call, 'r', respondent, device, bounds.weekMs);
    const repeated = ((respondent === null ? ofDevice : ofRespondent)?.sessionsDay ?? 0) > 1;
    return {
      deviceSessionsDay: ofDevice?.sessionsDay ?? null,
      deviceRespondentsDay: ofDevice?.others ?? null,
      respondentDay: ofRespondent?.sessionsDay ?? null,
      respondentDevicesWeek: ofRespondent?.others ?? null,
      ...countAddress(addresses, call),
      ...countPrefix(prefixes, call, repeated),
      source: sourceRate(baselines, call, repeated),
      terms: termFrequencies(terms, call),
    };
  };
}

const keyIn = ({ projectId, session }: CountingCall, kind: string, ref: string): string =>
  `${projectId}:${session.scope}:${kind}${ref}`;

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
  if (member !== null) kept.others ??= new Map();
  return {
    sessionsDay: sumBuckets(kept.sessions, hour, bounds.hoursPerDay),
    others: countSeen(call, kept.others, member, nowMs, nowMs - othersMs, bounds.distinctCap),
  };
}

function countAddress(
  table: Table<AddressCounts>,
  call: CountingCall,
): Pick<VelocityFacts, 'addressDevicesHour' | 'addressRespondentsHour' | 'addressSessionsHour'> {
  const { nowMs, device, respondent, address } = call.session;
  const slot = slotOf(nowMs);
  const key = keyIn(call, 'a', address);
  const add = admitWithin(call, bounds.hourMs, 'a', address);
  const isNow = within(call, bounds.hourMs);
  const kept = isNow
    ? table.take(key, nowMs, twoHoursMs, () => ({ sessions: createBuckets(slot), devices: null, respondents: null }))
    : table.get(key, nowMs);
  if (kept === undefined) return { addressDevicesHour: null, addressRespondentsHour: null, addressSessionsHour: 0 };
  if (add) addToBucket(kept.sessions, slot, bounds.slotsPerHour);
  if (isNow && device !== null) kept.devices ??= new Map();
  if (isNow && respondent !== null) kept.respondents ??= new Map();
  const seen = (members: Distinct | null, member: string | null): number | null =>
    countSeen(call, members, isNow ? member : null, slot, slot - bounds.slotsPerHour, bounds.distinctMax);
  return {
    addressDevicesHour: seen(kept.devices, device),
    addressRespondentsHour: seen(kept.respondents, respondent),
    addressSessionsHour: sumBuckets(kept.sessions, slot, bounds.slotsPerHour),
  };
}

function countPrefix(
  table: Table<PrefixCounts>,
  call: CountingCall,
  repeated: boolean,
): Pick<VelocityFacts, 'prefixSessionsHour' | 'prefixSessionsDay'> {
  const { nowMs, prefix } = call.session;
  const [slot, hour] = [slotOf(nowMs), hourOf(nowMs)];
  const key = keyIn(call, 'p', prefix);
  const add = admitWithin(call, bounds.dayMs, 'p', prefix) && !repeated;
  const kept = add
    ? table.take(key, nowMs, twoDaysMs, () => ({ slots: createBuckets(slot), hours: createBuckets(hour) }))
    : table.get(key, nowMs);
  if (add && kept !== undefined) {
    addToBucket(kept.slots, slot, bounds.slotsPerHour);
    addToBucket(kept.hours, hour, bounds.hoursPerDay);
  }
  return {
    prefixSessionsHour: sumBuckets(kept?.slots, slot, bounds.slotsPerHour),
    prefixSessionsDay: sumBuckets(kept?.hours, hour, bounds.hoursPerDay),
  };
}

/** Notes the member, if there is one, as seen at `at`; how many were seen after `oldest`. Nobody is nothing measured: null. */
function countSeen(
  { restoring }: CountingCall,
  members: Distinct | null,
  member: string | null,
  at: number,
  oldest: number,
  cap: number,
): number | null {
  if (members === null) return null;
  if (member !== null) addDistinct(members, member, at);
  if (restoring) sortDistinct(members);
  const count = countDistinct(members, oldest, cap);
  return count === 0 ? null : count;
}

function sourceRate(table: Table<Baseline>, call: CountingCall, repeated: boolean): VelocityFacts['source'] {
  const { projectId, session, restoring } = call;
  const hour = hourOf(session.nowMs);
  if (session.source === null || !within(call, bounds.candidateMs)) return null;
  const baseline = table.take(`${projectId}:${session.source}`, session.nowMs, bounds.candidateMs, () =>
    createBaseline(hour),
  );
  const add = call.admit(`s${session.source}`) && !repeated;
  if (!restoring || hour >= baseline.hour) return countSource(baseline, hour, add);
  if (add) restoreSource(baseline, hour);
  return null;
}

function termFrequencies(table: Table<TermCounts>, call: CountingCall): VelocityFacts['terms'] {
  const { projectId, session } = call;
  if (session.sketch === null || !within(call, 2 * bounds.weekMs)) return null;
  const cells = locateTerms(session.sketch);
  const week = Math.floor(session.nowMs / bounds.weekMs);
  const keyOf = (generation: number): string => `${projectId}:${generation}`;
  if (call.admit('t')) addTerms(table.take(keyOf(week), session.nowMs, 2 * bounds.weekMs, createTermCounts), cells);
  return readTerms([table.get(keyOf(week), session.nowMs), table.get(keyOf(week - 1), session.nowMs)], cells);
}
