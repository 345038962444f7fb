/**
 * Rates of a device, a respondent, an address, a prefix and a source within a scope, and how common the session’s
 * terms are in its project. Counting happens in the same step as reading, so that the session itself is included.
 */
import type { CountFacts } from '../../../contract/facts.js';
import { bounds, hourOf, slotOf } from '../bounds.js';
import type { ScoreCountInput, StoredProbe } from '../port.js';
import { locateTerms } from '../term-cells.js';
import { countSource, createBaseline, type Baseline } from './baseline.js';
import { addToBucket, sumBuckets, type Buckets } from './buckets.js';
import { addDistinct, countDistinct, type Distinct } from './distinct.js';
import type { Keyspace, Table } from './keyspace.js';
import { addTerms, createTermCounts, readTerms, type TermCounts } from './terms.js';

type VelocityFacts = Omit<CountFacts, 'candidates' | 'neighborhood'>;

export interface VelocityCall {
  readonly input: ScoreCountInput;
  readonly device: string | null;
  readonly probe: StoredProbe | null;
  /** Whether the session is new to a counter. */
  readonly admit: (counter: string) => boolean;
}

const twoHoursMs = 2 * bounds.hourMs;
const twoDaysMs = 2 * bounds.dayMs;

/** Keys that one call may add. */
export const velocityKeysMax = 11;

export function createVelocity(keyspace: Keyspace): (call: VelocityCall) => VelocityFacts {
  const hours = keyspace.table<Buckets>('hours');
  const slots = keyspace.table<Buckets>('slots');
  const distinct = keyspace.table<Distinct>('distinct');
  const baselines = keyspace.table<Baseline>('baselines');
  const terms = keyspace.table<TermCounts>('terms');

  return (call) => {
    const { input, device, admit } = call;
    const { nowMs, respondent } = input;
    const hour = hourOf(nowMs);
    const slot = slotOf(nowMs);
    const at = `${input.projectId}:${input.scope}:`;
    const perHour = (name: string, add: boolean): number => tally(hours, at + name, nowMs, twoDaysMs, hour, bounds.hoursPerDay, add);
    const perSlot = (name: string, add: boolean): number => tally(slots, at + name, nowMs, twoHoursMs, slot, bounds.slotsPerHour, add);
    const seen = (name: string, member: string | null, windowMs: number): number =>
      distinctIn(distinct, at + name, nowMs, 2 * windowMs, member, nowMs, nowMs - windowMs, bounds.distinctCap);
    const seenBySlot = (name: string, member: string | null): number =>
      distinctIn(distinct, at + name, nowMs, twoHoursMs, member, slot, slot - bounds.slotsPerHour, bounds.distinctMax);

    const newToPrefix = admit(`p${input.scope}${input.prefix}`);
    return {
      deviceSessionsDay: device === null ? null : perHour(`d${device}`, admit(`d${input.scope}${device}`)),
      deviceRespondentsDay: device === null ? null : seen(`dr${device}`, respondent, bounds.dayMs),
      respondentDay: respondent === null ? null : perHour(`r${respondent}`, admit(`r${input.scope}${respondent}`)),
      respondentDevicesWeek: respondent === null ? null : seen(`rd${respondent}`, device, bounds.weekMs),
      addressDevicesHour: seenBySlot(`ad${input.address}`, device),
      addressRespondentsHour: seenBySlot(`ar${input.address}`, respondent),
      addressSessionsHour: perSlot(`a${input.address}`, admit(`a${input.scope}${input.address}`)),
      prefixSessionsHour: perSlot(`p${input.prefix}`, newToPrefix),
      prefixSessionsDay: perHour(`p${input.prefix}`, newToPrefix),
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

function distinctIn(table: Table<Distinct>, key: string, nowMs: number, keepMs: number, member: string | null, at: number, oldest: number, cap: number): number {
  const members = member === null ? table.get(key, nowMs) : table.take(key, nowMs, keepMs, () => new Map());
  if (members === undefined) return 0;
  if (member !== null) addDistinct(members, member, at);
  return countDistinct(members, oldest, cap);
}

function sourceRate(table: Table<Baseline>, { input, admit }: VelocityCall, hour: number): VelocityFacts['source'] {
  if (input.source === null) return null;
  const baseline = table.take(`${input.projectId}:${input.source}`, input.nowMs, bounds.candidateMs, () => createBaseline(hour));
  return countSource(baseline, hour, admit(`s${input.source}`));
}

function termFrequencies(table: Table<TermCounts>, { input, probe, admit }: VelocityCall): VelocityFacts['terms'] {
  if (probe?.sketch === null || probe === null) return null;
  const cells = locateTerms(probe.sketch);
  const week = Math.floor(input.nowMs / bounds.weekMs);
  const keyOf = (generation: number): string => `${input.projectId}:${generation}`;
  if (admit('t')) addTerms(table.take(keyOf(week), input.nowMs, 2 * bounds.weekMs, createTermCounts), cells);
  return readTerms([table.get(keyOf(week), input.nowMs), table.get(keyOf(week - 1), input.nowMs)], cells);
}
