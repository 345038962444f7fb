/**
 * A subject's published record of outcomes at a later moment: fraud weighs half after 90 days, and what is still young counts by the share of
 * the time that has passed in which it may be reversed.
 */
import { reversalWindowDays } from '../limits.js';
import type { HistoryValue } from '../stores/counters/port.js';

export const halfLifeDays = 90;
const dayMs = 86_400_000;

/** Days since 1970. */
export const dayOf = (ms: number): number => Math.floor(ms / dayMs);

/** The record as it stands at `nowMs`, from what was decayed up to an earlier day; what is still young counts by the share of the window that passed. */
export function readHistory(
  history: HistoryValue,
  nowMs: number,
): { readonly n: number; readonly fraud: number; readonly clawbacks: number } {
  const passedDays = Math.max(0, dayOf(nowMs) - history.asOfDay);
  const weight = weightAt(passedDays);
  let credited = 0;
  for (const [ageDays, sessions] of history.young ?? []) {
    const age = ageDays + passedDays;
    credited += sessions * weightAt(age) * Math.min(1, age / reversalWindowDays);
  }
  return {
    n: history.n * weight + credited,
    fraud: history.fraud * weight,
    clawbacks: history.clawbacks * weight,
  };
}

export const weightAt = (ageDays: number): number => 2 ** (-ageDays / halfLifeDays);
