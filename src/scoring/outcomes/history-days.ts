/**
 * The history of one subject (a respondent, a source, a sub-source) as counts a day, and the decayed record that scoring reads. Days are
 * whole numbers, so that what is taken back leaves no trace, not even a rounding error.
 */
import type { HistoryValue } from '../../stores/counters/port.js';
import type { Adjudication } from './adjudication-rules.js';

/** Adjudicated sessions, fraud among them, clawbacks among those. */
export type DayCounts = readonly [n: number, fraud: number, clawbacks: number];

/** Counts by day since 1970. */
export type HistoryDays = Readonly<Record<string, DayCounts>>;

const dayMs = 86_400_000;
const halfLifeDays = 90;
/** After twelve half-lives a day weighs less than a four-thousandth; it is dropped. */
const keepDays = 12 * halfLifeDays;

const dayOf = (ms: number): number => Math.floor(ms / dayMs);

/** Adds an adjudication, or with sign -1 takes it away; a day without counts is no longer there. */
export function shiftDays(days: HistoryDays, adjudication: Adjudication, sign: 1 | -1): HistoryDays {
  const day = String(dayOf(adjudication.atMs));
  const [n, fraud, clawbacks] = days[day] ?? [0, 0, 0];
  const shifted: DayCounts = [
    n + sign,
    fraud + (adjudication.fraud ? sign : 0),
    clawbacks + (adjudication.clawback ? sign : 0),
  ];
  const { [day]: _replaced, ...others } = days;
  return shifted[0] === 0 ? others : { ...others, [day]: shifted };
}

/** Days in the future weigh as today: an event cannot weigh more for being dated ahead. */
export function decay(days: HistoryDays, nowMs: number): HistoryValue {
  const today = dayOf(nowMs);
  const sum = { n: 0, fraud: 0, clawbacks: 0 };
  for (const [day, [n, fraud, clawbacks]] of Object.entries(days).sort(([a], [b]) => Number(a) - Number(b))) {
    const age = Math.max(0, today - Number(day));
    if (age > keepDays) continue;
    const weight = 2 ** (-age / halfLifeDays);
    sum.n += weight * n;
    sum.fraud += weight * fraud;
    sum.clawbacks += clawbacks;
  }
  return { ...sum, asOfDay: today };
}

/** The record as it stands at `nowMs`, from what was decayed up to an earlier day. Clawbacks are counted, not weighted. */
export function decayFurther(history: HistoryValue, nowMs: number): HistoryValue {
  const today = dayOf(nowMs);
  const weight = 2 ** (-Math.max(0, today - history.asOfDay) / halfLifeDays);
  return { n: history.n * weight, fraud: history.fraud * weight, clawbacks: history.clawbacks, asOfDay: today };
}
