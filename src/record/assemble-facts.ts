/** The facts of a score, from its base and what the counters answered. Records keep only these two: a change here changes old records. */
import type { HistoryFacts, HistoryRecord, ProbeFacts, ScoreFacts } from '../contract/facts.js';
import {
  furtherSubjects,
  type CountRecord,
  type HistorySubject,
  type HistoryValue,
  type StoredHistory,
  type StoredPage,
} from '../stores/counters/port.js';
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
    // Spread last: spreading first is 80 times slower in V8.
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

const furtherKnown = [...furtherSubjects, 'device'] as const;

/** Subjects that were not named are null; those about whom no outcome was ever reported have a record of nothing. */
function historyOf(subjects: HistorySubjects, stored: StoredHistory, nowMs: number): HistoryFacts {
  const record = (name: HistorySubject) => {
    if (subjects[name] === null) return null;
    const value = stored[name];
    return value === null ? { n: 0, fraud: 0, clawbacks: 0, pending: 0 } : readHistory(value, nowMs);
  };
  const plain = ({ n, fraud, pending = 0 }: HistoryRecord): HistoryRecord =>
    pending === 0 ? { n, fraud } : { n, fraud, pending };
  const known = (name: HistorySubject): HistoryRecord | null => {
    const value = record(name);
    return value === null ? null : plain(value);
  };
  const respondent = record('respondent');
  const facts: Writable<HistoryFacts> = {
    respondent: respondent === null ? null : { confirmedClawbacks: respondent.clawbacks, ...plain(respondent) },
    source: known('source'),
    subSource: known('subSource'),
  };
  for (const name of furtherKnown) {
    const value = stored[name];
    if (value !== undefined) facts[name] = plain(readHistory(value, nowMs));
  }
  return facts;
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
  if (load === null || update === null) return load ?? update;
  const joined = { body: joinMessages(load.body, update.body), transport: load.transport };
  if (update.body.seq < load.body.seq) return joined;
  const { up, at } = load.body;
  return {
    ...joined,
    update: { transport: update.transport, pageMs: update.body.up - up, clockMs: update.body.at - at },
  };
}

export const halfLifeDays = 90;
const dayMs = 86_400_000;

/** Days since 1970. */
export const dayOf = (ms: number): number => Math.floor(ms / dayMs);

/** The record at `nowMs`: fraud halves in 90 days; what may still be reversed counts by the share of that time that has passed. */
export function readHistory(
  history: HistoryValue,
  nowMs: number,
): Required<HistoryRecord> & { readonly clawbacks: number } {
  const passedDays = Math.max(0, dayOf(nowMs) - history.asOfDay);
  const weight = weightAt(passedDays);
  const sum = { credited: 0, pending: 0 };
  for (const [ageDays, sessions] of history.young ?? []) {
    const age = ageDays + passedDays;
    const weighted = sessions * weightAt(age);
    const credited = weighted * Math.min(1, age / reversalWindowDays);
    sum.credited += credited;
    sum.pending += weighted - credited;
  }
  return {
    n: history.n * weight + sum.credited,
    fraud: history.fraud * weight,
    clawbacks: history.clawbacks * weight,
    pending: sum.pending,
  };
}

export const weightAt = (ageDays: number): number => 2 ** (-ageDays / halfLifeDays);
