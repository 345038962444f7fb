/**
 * A subject's history as whole numbers by the day of the event. Counts are only added and taken away, so that an event which is taken back
 * leaves the record exactly as it was; ageing is applied when the record is read. Fraud weighs in full from its day on and halves in 90
 * days. What was accepted is credited as the time passes in which it may still be reversed: nothing on its day, all of it at the end.
 */
import { reversalWindowDays } from '../../limits.js';
import { dayOf, halfLifeDays, weightAt } from '../../record/read-history.js';
import type { HistoryValue } from '../../stores/counters/port.js';
import type { Adjudication } from './adjudication-rules.js';

/** Adjudicated sessions, fraud among them, clawbacks among those. */
export type DayCounts = readonly [n: number, fraud: number, clawbacks: number];

/** Counts by day since 1970. */
export type HistoryDays = Readonly<Record<string, DayCounts>>;

/** After twelve half-lives a day weighs less than a four-thousandth; it is dropped. */
export const keepDays = 12 * halfLifeDays;

export interface Shift {
  readonly adjudication: Adjudication;
  /** 1 adds the adjudication, -1 takes it away. */
  readonly sign: 1 | -1;
}

/** The days after these changes; a day without counts is no longer there. */
export function shiftDays(days: HistoryDays, shifts: readonly Shift[]): HistoryDays {
  const shifted: Record<string, DayCounts> = { ...days };
  for (const { adjudication, sign } of shifts) {
    const day = String(dayOf(adjudication.atMs));
    const [n, fraud, clawbacks] = shifted[day] ?? [0, 0, 0];
    shifted[day] = [n + sign, fraud + (adjudication.fraud ? sign : 0), clawbacks + (adjudication.clawback ? sign : 0)];
  }
  return Object.fromEntries(Object.entries(shifted).filter(([, [n]]) => n !== 0));
}

/** Days in the future weigh as today: an event cannot weigh more for being dated ahead. */
export function decay(days: HistoryDays, nowMs: number): HistoryValue {
  const today = dayOf(nowMs);
  const sum = { n: 0, fraud: 0, clawbacks: 0 };
  const young: [number, number][] = [];
  for (const [day, [n, fraud, clawbacks]] of Object.entries(days).sort(([a], [b]) => Number(a) - Number(b))) {
    const ageDays = Math.max(0, today - Number(day));
    if (ageDays > keepDays) continue;
    const weight = weightAt(ageDays);
    const isYoung = ageDays < reversalWindowDays && n > fraud;
    if (isYoung) young.push([ageDays, n - fraud]);
    sum.n += weight * (isYoung ? fraud : n);
    sum.fraud += weight * fraud;
    sum.clawbacks += weight * clawbacks;
  }
  return { ...sum, asOfDay: today, ...(young.length === 0 ? {} : { young }) };
}
