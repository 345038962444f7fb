/**
 * Published histories of subjects, and which projects are complete. A store that starts without a snapshot knows of none:
 * every project is then incomplete until it is marked. A publication with a lower or equal version changes nothing.
 */
import { bounds } from '../bounds.js';
import {
  furtherSubjects,
  type HistoryRecord,
  type HistoryValue,
  type ScoreCountInput,
  type StoredHistory,
} from '../port.js';
import type { Keyspace } from './keyspace.js';

export interface Histories {
  publish(namespace: string, records: readonly HistoryRecord[]): void;
  /** The histories of the subjects that a call names, and of its device. */
  read(input: ScoreCountInput, device: string | null): StoredHistory;
  markComplete(namespace: string): void;
  /** Whether the project is complete, which it then stays for longer. */
  isComplete(namespace: string, nowMs: number): boolean;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

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
    read: ({ namespace, nowMs, history }, device) => {
      const valueOf = (subject: string | null = null): HistoryValue | null =>
        subject === null ? null : (published.get(`${namespace}:${subject}`, nowMs)?.value ?? null);
      const stored: Writable<StoredHistory> = {
        respondent: valueOf(history.respondent),
        source: valueOf(history.source),
        subSource: valueOf(history.subSource),
      };
      for (const name of furtherSubjects) {
        const value = valueOf(history[name]);
        if (value !== null) stored[name] = value;
      }
      const ofDevice = valueOf(device);
      if (ofDevice !== null) stored.device = ofDevice;
      return stored;
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
