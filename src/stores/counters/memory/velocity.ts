/**
 * Rates of a device, a respondent, an address, a prefix and a source within a scope, and how common the session’s
 * terms are in its project. Counting happens in the same step as reading, so that the session itself is included.
 */
import type { CountFacts } from '../../../contract/facts.js';
import { bounds, hourOf, slotOf } from '../bounds.js';
import { locateTerms } from '../term-cells.js';
import { countSource, createBaseline, restoreSource, type Baseline } from './baseline.js';
import { addToBucket, sumBuckets, type Buckets } from './buckets.js';
import { within, type CountingCall } from './counting-call.js';
import { addDistinct, countDistinct, sortDistinct, type Distinct } from './distinct.js';
import type { Keyspace, Table } from './keyspace.js';
import { addTerms, createTermCounts, readTerms, type TermCounts } from './terms.js';

type VelocityFacts = Omit<CountFacts, 'candidates' | 'neighborhood'>;

const twoHoursMs = 2 * bounds.hourMs;
const twoDaysMs = 2 * bounds.dayMs;

/** Keys that one call may add. */
export const velocityKeysMax = 11;

export function createVelocity(keyspace: Keyspace): (call: CountingCall) => VelocityFacts {
  const hours = keyspace.table<Buckets>('hours');
  const slots = keyspace.table<Buckets>('slots');
  const distinct = keyspace.table<Distinct>('distinct');
  const baselines = keyspace.table<Baseline>('baselines');
  const terms = keyspace.table<TermCounts>('terms');

  return (call) => {
    const { session, restoring } = call;
    const { nowMs, respondent, device } = session;
    const hour = hourOf(nowMs);
    const slot = slotOf(nowMs);
    const at = `${call.projectId}:${session.scope}:`;
    const perHour = (name: string, add: boolean): number => tally(hours, at + name, nowMs, twoDaysMs, hour, bounds.hoursPerDay, add);
    const perSlot = (name: string, add: boolean): number => tally(slots, at + name, nowMs, twoHoursMs, slot, bounds.slotsPerHour, add);
    const seen = (name: string, member: string | null, windowMs: number): number =>
      distinctIn(distinct, at + name, nowMs, 2 * windowMs, within(call, windowMs) ? member : null, nowMs, nowMs - windowMs, bounds.distinctCap, restoring);
    const seenBySlot = (name: string, member: string | null): number =>
      distinctIn(distinct, at + name, nowMs, twoHoursMs, within(call, bounds.hourMs) ? member : null, slot, slot - bounds.slotsPerHour, bounds.distinctMax, restoring);
    const admit = (windowMs: number, kind: string, ref: string): boolean => within(call, windowMs) && call.admit(`${kind}${session.scope}${ref}`);

    const newToPrefix = admit(bounds.dayMs, 'p', session.prefix);
    return {
      deviceSessionsDay: device === null ? null : perHour(`d${device}`, admit(bounds.dayMs, 'd', device)),
      deviceRespondentsDay: device === null ? null : seen(`dr${device}`, respondent, bounds.dayMs),
      respondentDay: respondent === null ? null : perHour(`r${respondent}`, admit(bounds.dayMs, 'r', respondent)),
      respondentDevicesWeek: respondent === null ? null : seen(`rd${respondent}`, device, bounds.weekMs),
      addressDevicesHour: seenBySlot(`ad${session.address}`, device),
      addressRespondentsHour: seenBySlot(`ar${session.address}`, respondent),
      addressSessionsHour: perSlot(`a${session.address}`, admit(bounds.hourMs, 'a', session.address)),
      prefixSessionsHour: perSlot(`p${session.prefix}`, newToPrefix),
      prefixSessionsDay: perHour(`p${session.prefix}`, newToPrefix),
      source: sourceRate(baselines, call, hour),
      terms: termFrequencies(terms, call),
    };
  };
}

/** Adds the session to its bucket if it is new there; the count of the window. */
function tally(table: Table<Buckets>, key: string, nowMs: number, keepMs: number, bucket: number, width: number, add: boolean): number {
  if (!add) return sumBuckets(table.get(key, nowMs), bucket, width);
  const buckets = table.take(key, nowMs, keepMs, () => []);
  addToBucket(buckets, bucket, width);
  return sumBuckets(buckets, bucket, width);
}

function distinctIn(table: Table<Distinct>, key: string, nowMs: number, keepMs: number, member: string | null, at: number, oldest: number, cap: number, restoring: boolean): number {
  const members = member === null ? table.get(key, nowMs) : table.take(key, nowMs, keepMs, () => new Map());
  if (members === undefined) return 0;
  if (member !== null) addDistinct(members, member, at);
  if (restoring) sortDistinct(members);
  return countDistinct(members, oldest, cap);
}

function sourceRate(table: Table<Baseline>, call: CountingCall, hour: number): VelocityFacts['source'] {
  const { projectId, session, restoring } = call;
  if (session.source === null || !within(call, bounds.candidateMs)) return null;
  const baseline = table.take(`${projectId}:${session.source}`, session.nowMs, bounds.candidateMs, () => createBaseline(hour));
  const add = call.admit(`s${session.source}`);
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
