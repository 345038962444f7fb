/**
 * Sessions of a source per hour, against what is usual: exponentially weighted mean and variance (alpha 0.1) of all its hours and of each hour of the week.
 * Hours in which the source was silent are left out: fielding comes in waves, and the start of a wave would otherwise always look like a burst. An hour of
 * the week speaks for itself once it was seen in three weeks; until then all hours together do.
 *
 * The sessions of the current hour are an increment of their own, so that calls on one source never wait for each other. Whoever comes first in a later
 * hour folds the ended one into the baseline.
 */
import type { CountFacts } from '../../../contract/facts.js';
import { bounds } from '../bounds.js';
import { doubleAt, noRef, packDouble, tokenOf, u32, u32At, type Bytes } from './bytes.js';
import { within, type Call } from './call.js';
import { admit } from './guard.js';
import type { People } from './places.js';
import { payloadOf, type Step } from './step.js';

interface Moments {
  readonly mean: number;
  readonly variance: number;
  readonly hours: number;
}

interface Baseline {
  readonly hour: number;
  /** An hour that is restored behind the current one, until that ends too. */
  readonly restoredHour: number;
  readonly restoredCount: number;
  readonly all: Moments;
}

const noMoments: Moments = { mean: 0, variance: 0, hours: 0 };

const readMoments = (bytes: Bytes, at = 0): Moments =>
  bytes.length <= at
    ? noMoments
    : { mean: doubleAt(bytes, at), variance: doubleAt(bytes, at + 8), hours: u32At(bytes, at + 16) };

const packMoments = ({ mean, variance, hours }: Moments): Bytes => packDouble(mean) + packDouble(variance) + u32(hours);

function readBaseline(payload: Bytes): Baseline {
  return {
    hour: u32At(payload, 0),
    restoredHour: u32At(payload, 4),
    restoredCount: u32At(payload, 8),
    all: readMoments(payload, 12),
  };
}

const packBaseline = ({ hour, restoredHour, restoredCount, all }: Baseline): Bytes =>
  u32(hour) + u32(restoredHour) + u32(restoredCount) + packMoments(all);

/** The first hour sets the mean; each later one moves it by alpha. */
function fold({ mean, variance, hours }: Moments, count: number): Moments {
  if (hours === 0) return { mean: count, variance: 0, hours: 1 };
  const alpha = bounds.baselineAlpha;
  const difference = count - mean;
  return {
    mean: mean + alpha * difference,
    variance: (1 - alpha) * (variance + alpha * difference * difference),
    hours: hours + 1,
  };
}

const hourOfWeek = (hour: number): number => hour % bounds.hoursPerWeek;

/** The keys of a source that a call at this hour reads first. */
export const sourceKeys = ({ keys, hour }: Pick<Call, 'keys' | 'hour'>, source: string): readonly string[] => [
  keys.source(source),
  keys.sourceVolume(source, hour),
  keys.sourceHour(source, hourOfWeek(hour)),
];

type Values = readonly (Bytes | null | undefined)[];

export function* countSource(
  call: Call,
  source: string | null,
  people: People,
  values: Values,
): Step<CountFacts['source']> {
  const { hour, keys, writes, restoring } = call;
  if (source === null || !within(call, bounds.candidateMs)) return null;
  const [before, volume, own] = values;
  const known = before == null ? null : readBaseline(payloadOf(before));
  const place = tokenOf('s', noRef, call.refs.source ?? noRef);
  const repeated = people.isRepeat(place);
  const add = admit(call.guard, place) && !repeated;
  if (restoring && known !== null && hour < known.hour) {
    if (add) yield* restoreHour(call, source, known, before);
    return null;
  }
  const rated = { source, add };
  if (known === null) {
    writes.replace(keys.source(source), before, packBaseline(newBaseline(hour)), bounds.candidateMs);
    return rate(call, rated, { hour, volume, all: noMoments, own });
  }
  if (hour === known.hour) return rate(call, rated, { hour, volume, all: known.all, own });
  if (hour > known.hour) {
    const all = yield* endHour(call, source, known, before);
    // Folded meanwhile where the hours of the week are the same.
    return rate(call, rated, { hour, volume, all: all.all, own: all.own.get(hourOfWeek(hour)) ?? own });
  }
  // A clock that is behind: counted in the current hour.
  const { values: current } = yield {
    keys: [keys.sourceVolume(source, known.hour), keys.sourceHour(source, hourOfWeek(known.hour))],
  };
  return rate(call, rated, { hour: known.hour, volume: current[0], all: known.all, own: current[1] });
}

const newBaseline = (hour: number): Baseline => ({ hour, restoredHour: 0, restoredCount: 0, all: noMoments });

interface Hour {
  readonly hour: number;
  readonly volume: Bytes | null | undefined;
  readonly all: Moments;
  readonly own: Bytes | null | undefined;
}

function rate(
  { keys, writes }: Call,
  { source, add }: { readonly source: string; readonly add: boolean },
  { hour, volume, all, own }: Hour,
): CountFacts['source'] {
  if (add) writes.increments.push({ key: keys.sourceVolume(source, hour), keepMs: bounds.candidateMs });
  const ofOwn = readMoments(payloadOf(own));
  const { mean, variance } = ofOwn.hours >= bounds.baselineOwnHours ? ofOwn : all;
  return { hour: Number(volume ?? 0) + (add ? 1 : 0), mean, variance, hours: all.hours };
}

interface Folded {
  readonly all: Moments;
  /** By hour of the week. */
  readonly own: ReadonlyMap<number, Bytes>;
}

/** Folds the hours that ended into the baseline, and into those of their hours of the week. */
function* endHour(call: Call, source: string, known: Baseline, before: Bytes | null | undefined): Step<Folded> {
  const { keys, writes, hour } = call;
  const ended = [
    { hour: known.restoredHour, key: keys.sourceHour(source, hourOfWeek(known.restoredHour)) },
    { hour: known.hour, key: keys.sourceHour(source, hourOfWeek(known.hour)) },
  ] as const;
  const volumeKey = keys.sourceVolume(source, known.hour);
  const { values } = yield { keys: [volumeKey, ended[0].key, ended[1].key] };
  const counts = [known.restoredCount, Number(values[0] ?? 0)];
  const own = new Map<number, Bytes>();
  let all = known.all;
  ended.forEach(({ hour: of, key }, i) => {
    const count = counts[i] ?? 0;
    if (count === 0) return;
    all = fold(all, count);
    const ofWeek = hourOfWeek(of);
    const folded = fold(readMoments(payloadOf(own.get(ofWeek) ?? values[i + 1])), count);
    own.set(ofWeek, `\0\0${packMoments(folded)}`);
    writes.replace(key, values[i + 1], packMoments(folded), bounds.candidateMs);
  });
  writes.replace(keys.source(source), before, packBaseline({ ...newBaseline(hour), all }), bounds.candidateMs);
  writes.removes.push(volumeKey);
  return { all, own };
}

/** Counts a session of an hour before the current one. Such hours come in their order, or the latest first; each ends with another. */
function* restoreHour(call: Call, source: string, known: Baseline, before: Bytes | null | undefined): Step<void> {
  const { keys, writes, hour } = call;
  let { restoredHour, restoredCount, all } = known;
  if (hour !== restoredHour) {
    if (restoredCount > 0) {
      const key = keys.sourceHour(source, hourOfWeek(restoredHour));
      const { values } = yield { keys: [key] };
      all = fold(all, restoredCount);
      const folded = fold(readMoments(payloadOf(values[0])), restoredCount);
      writes.replace(key, values[0], packMoments(folded), bounds.candidateMs);
    }
    [restoredHour, restoredCount] = [hour, 0];
  }
  const next = { hour: known.hour, restoredHour, restoredCount: restoredCount + 1, all };
  writes.replace(keys.source(source), before, packBaseline(next), bounds.candidateMs);
}
