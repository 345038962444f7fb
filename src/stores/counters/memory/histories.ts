/**
 * Published histories of subjects, and which projects are warm. A store that starts without a snapshot knows of none:
 * every project is then cold until it is marked. A publication with a lower or equal version changes nothing.
 */
import { bounds } from '../bounds.js';
import type { HistoryRecord, HistoryValue, ScoreCountInput, StoredHistory } from '../port.js';
import type { Keyspace } from './keyspace.js';

export interface Histories {
  publish(namespace: string, records: readonly HistoryRecord[]): void;
  /** The histories of the subjects that a call names. */
  read(input: ScoreCountInput): StoredHistory;
  markWarm(namespace: string): void;
  /** Whether the project is warm, which it then stays for longer. */
  isWarm(namespace: string, nowMs: number): boolean;
}

interface Published {
  readonly version: number;
  readonly value: HistoryValue;
}

/** `now` is the store’s clock: what is published or marked carries no time of its own. */
export function createHistories(keyspace: Keyspace, now: () => number): Histories {
  const published = keyspace.table<Published>('histories');
  const warm = keyspace.table<true>('warm');
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
    markWarm: (namespace) => {
      keyspace.reserve(1, now());
      warm.set(namespace, true, now(), bounds.warmMs);
    },
    isWarm: (namespace, nowMs) => {
      const isWarm = warm.get(namespace, nowMs) === true;
      if (isWarm) warm.take(namespace, nowMs, bounds.warmMs, () => true);
      return isWarm;
    },
  };
}
