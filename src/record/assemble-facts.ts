/** The facts of a score, from its base and what the counters answered. Records keep only these two: a change here changes old records. */
import type { HistoryFacts, HistoryRecord, ProbeFacts, ScoreFacts } from '../contract/facts.js';
import type { CountRecord, HistoryValue, StoredHistory, StoredPage } from '../stores/counters/port.js';
import { joinMessages, openMessage } from './message.js';
import type { Counted, HistorySubjects, ScoreBase, Writable } from './types.js';
import { reversalWindowDays } from '../limits.js';

/** `counted`: null where the store did not answer. */
export function assembleFacts({ facts, trace, subjects }: ScoreBase, counted: Counted | null): ScoreFacts {
  const { measured, agent } = facts;
  const isKnown = measured && counted?.complete === true;
  const assembled: Writable<ScoreFacts> = {
    counts: isKnown ? counted.counts : null,
    probe: measured ? readProbe(counted?.probe ?? null) : null,
    history: isKnown ? historyOf(subjects, counted.history, facts.scoredAtMs) : null,
    deviceKnown: counted !== null && counted.device !== null,
    // Last: what is spread first and added to is made eighty times slower.
    ...facts,
  };
  if (counted === null || (measured && !isKnown))
    assembled.degraded = [...facts.degraded, 'counters_unavailable', 'history_unavailable'];
  if (counted === null) {
    // Unreadable is not missing; an organization key has no probes to read.
    assembled.probeRead = !measured;
    return assembled;
  }
  assembled.supersedes = counted.supersedes;
  assembled.deviceHashed = trace.device !== null;
  assembled.token = counted.probe?.device ?? null;
  if (agent?.outcome === 'verified' && !counted.signatureFresh)
    assembled.agent = {
      outcome: 'invalid',
      agent: agent.agent,
      reason:
        'The signature was used before, and is good for one session. Visits signed in the same second share one: add a nonce parameter to Signature-Input.',
    };
  return assembled;
}

/** Subjects that were not named are null; those about whom no outcome was ever reported have a record of nothing. */
function historyOf(subjects: HistorySubjects, stored: StoredHistory, nowMs: number): HistoryFacts {
  const record = (name: keyof HistorySubjects) => {
    if (subjects[name] === null) return null;
    const value = stored[name];
    return value === null ? { n: 0, fraud: 0, clawbacks: 0 } : readHistory(value, nowMs);
  };
  const plain = (value: ReturnType<typeof record>): HistoryRecord | null =>
    value === null ? null : { n: value.n, fraud: value.fraud };
  const respondent = record('respondent');
  return {
    respondent:
      respondent === null
        ? null
        : { n: respondent.n, fraud: respondent.fraud, confirmedClawbacks: respondent.clawbacks },
    source: plain(record('source')),
    subSource: plain(record('subSource')),
  };
}

/** All pages count; the first one with a load message is the one that the device and its sketch are taken from. */
function readProbe(stored: CountRecord['probe']): ScoreFacts['probe'] {
  const pages = (stored?.pages ?? [])
    .map((page) => ({ hasLoad: page.load !== null, facts: mergePage(page) }))
    .sort((a, b) => Number(b.hasLoad) - Number(a.hasLoad))
    .flatMap(({ facts }) => (facts === null ? [] : [facts]));
  const [first, ...others] = pages;
  if (first === undefined) return null;
  return others.length === 0 ? first : { ...first, others };
}

/** The load message describes the device, the newest update the behavior since. */
function mergePage(page: StoredPage): ProbeFacts | null {
  const load = page.load === null ? null : openMessage(page.load);
  const update = page.update === null ? null : openMessage(page.update);
  if (load === null) return update;
  return update === null ? load : { body: joinMessages(load.body, update.body), transport: load.transport };
}

export const halfLifeDays = 90;
const dayMs = 86_400_000;

/** Days since 1970. */
export const dayOf = (ms: number): number => Math.floor(ms / dayMs);

/** The record at `nowMs`: fraud halves in 90 days; what may still be reversed counts by the share of that time that has passed. */
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
