/** What a score’s record says: whose it is, what was known before counting, what the counters answered, what the core made of it. */
import type { Ref, ScoreFacts } from '../contract/facts.js';
import type { RecordedVerdict } from '../contract/pool.js';
import type { NamespaceOwner } from '../stores/counters/namespace.js';
import type { CountedSession, CountRecord } from '../stores/counters/port.js';

/** What the counters count of a session, as references; kept with the receipt, so that lost counters can be restored. */
export type SessionTrace = Omit<CountedSession, 'token' | 'sketch' | 'bands'>;

/** Whose receipt it is, and of which mode. */
export interface ReceiptOwner extends NamespaceOwner {
  readonly receiptId: string;
  readonly lineage: string;
}

/** Whose history a session belongs to; null where none was named. */
export interface HistorySubjects {
  readonly respondent: Ref | null;
  readonly source: Ref | null;
  readonly subSource: Ref | null;
  /** The address’s /24 or /48, its network by number, the study; absent where unknown or shared by strangers. */
  readonly range?: Ref;
  readonly network?: Ref;
  readonly study?: Ref;
}

/** What is known before the counters are asked; packed, they keep it until the database has the receipt. */
export interface ScoreBase {
  readonly owner: ReceiptOwner;
  /** As the caller named it; null where it named none. */
  readonly sourceId: string | null;
  readonly studyId: string | null;
  /** Hash of the rules that gave the verdict. */
  readonly modelVersion: string;
  readonly trace: SessionTrace;
  readonly subjects: HistorySubjects;
  readonly facts: Omit<ScoreFacts, 'counts' | 'probe' | 'probeRead' | 'deviceKnown' | 'token' | 'history'>;
}

/** For what is put together field by field. */
export type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** What the counters store answered, or recorded for a receipt. */
export type Counted = Omit<CountRecord, 'receiptId'>;

export interface Receipt extends ReceiptOwner {
  /** As the caller named it; null where it named none. */
  readonly sourceId: string | null;
  readonly sessionId: string;
  readonly studyId: string | null;
  /** The receipt that the session got before; null for a first score. */
  readonly supersedes: string | null;
  readonly trace: SessionTrace;
  /** Whose history the session belongs to. */
  readonly subjects: HistorySubjects;
  /** By the caller’s hash, else by the token that the page kept. */
  readonly device: Ref | null;
  readonly verdict: RecordedVerdict;
  /** Packed, for `openFacts`. */
  readonly facts: Uint8Array;
}
