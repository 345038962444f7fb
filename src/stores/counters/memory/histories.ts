/**
 * Published histories of subjects, and which projects are complete. A store that starts without a snapshot knows of none:
 * every project is then incomplete until it is marked. A publication with a lower or equal version changes nothing.
 */
import { bounds } from '../bounds.js';
import type { HistoryRecord, HistoryValue, ScoreCountInput, StoredHistory } from '../port.js';
import type { Keyspace } from './keyspace.js';

export interface Histories {
  publish(namespace: string, records: readonly HistoryRecord[]): void;
  /** The histories of the subjects that a call names. */
  read(input: ScoreCountInput): StoredHistory;
  markComplete(namespace: string): void;
  /** Whether the project is complete, which it then stays for longer. */
  isComplete(namespace: string, nowMs: number): boolean;
}

interface Published {
  readonly version: number;
  readonly value: HistoryValue;
}

/** `now` is the store’s clock: what is published or marked carries no time of its own. */
export function createHistories(keyspace: Keyspace, now: () => number): Histories {
  const published = keyspace.table<Published>('histories');
  const complete = keyspace.table<true>('complete');
  return {
    publish: (namespace, records) => {
      const nowMs = now();
      keyspace.reserve(records.length, nowMs);
      for (const { subject, version, value } of records) {
        const key = `${namespace}:${subject}`;
        const known = published.get(key, nowMs);
        if (known === undefined || known.version < version)
          published.set(key, { version, value: { ...value } }, nowMs, bounds.historyMs);
      }
    },
    read: ({ namespace, nowMs, history }) => {
      const valueOf = (subject: string | null): HistoryValue | null =>
        subject === null ? null : (published.get(`${namespace}:${subject}`, nowMs)?.value ?? null);
      return {
        respondent: valueOf(history.respondent),
        source: valueOf(history.source),
        subSource: valueOf(history.subSource),
      };
    },
    markComplete: (namespace) => {
      keyspace.reserve(1, now());
      complete.set(namespace, true, now(), bounds.completeMs);
    },
    isComplete: (namespace, nowMs) => {
      const isComplete = complete.get(namespace, nowMs) === true;
      if (isComplete) complete.take(namespace, nowMs, bounds.completeMs, () => true);
      return isComplete;
    },
  };
}
