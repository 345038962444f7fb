/**
 * Published histories of subjects, and which projects are warm. A store that starts without a snapshot knows of none:
 * every project is then cold until it is marked. A publication with a lower or equal version changes nothing.
 */
import { bounds } from '../bounds.js';
import type { HistoryRecord, HistoryValue, ScoreCountInput, StoredHistory } from '../port.js';
import type { Keyspace } from './keyspace.js';

export interface Histories {
  publish(projectId: string, records: readonly HistoryRecord[]): void;
  /** The histories of the subjects that a call names. */
  read(input: ScoreCountInput): StoredHistory;
  markWarm(projectId: string): void;
  /** Whether the project is warm, which it then stays for longer. */
  isWarm(projectId: string, nowMs: number): boolean;
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
    publish: (projectId, records) => {
      const nowMs = now();
      keyspace.reserve(records.length, nowMs);
      for (const { subject, version, value } of records) {
        const key = `${projectId}:${subject}`;
        const known = published.get(key, nowMs);
        if (known === undefined || known.version < version)
          published.set(key, { version, value: { ...value } }, nowMs, bounds.historyMs);
      }
    },
    read: ({ projectId, nowMs, history }) => {
      const valueOf = (subject: string | null): HistoryValue | null =>
        subject === null ? null : (published.get(`${projectId}:${subject}`, nowMs)?.value ?? null);
      return {
        respondent: valueOf(history.respondent),
        source: valueOf(history.source),
        subSource: valueOf(history.subSource),
      };
    },
    markWarm: (projectId) => {
      keyspace.reserve(1, now());
      warm.set(projectId, true, now(), bounds.warmMs);
    },
    isWarm: (projectId, nowMs) => {
      const isWarm = warm.get(projectId, nowMs) === true;
      if (isWarm) warm.take(projectId, nowMs, bounds.warmMs, () => true);
      return isWarm;
    },
  };
}
