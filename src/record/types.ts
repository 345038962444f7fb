/** The parts of a score’s record: its owner, the facts known before counting, the counters’ reply, the core’s result. */
import type { Ref, ScoreFacts } from '../contract/facts.js';
import type { RecordedVerdict } from '../contract/pool.js';
import type { NamespaceOwner } from '../stores/counters/namespace.js';
import type { CountedSession, CountRecord } from '../stores/counters/port.js';

/** The counted references of a session; kept with the receipt, so that lost counters can be restored. */
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

/** The facts known before the counters are asked. The counters keep them packed until the database has the receipt. */
export interface ScoreBase {
  readonly owner: ReceiptOwner;
  /** The caller’s name for it; null if none was given. */
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

/** The reply of the counters store, or the one recorded for a receipt. */
export type Counted = Omit<CountRecord, 'receiptId'>;

export interface Receipt extends ReceiptOwner {
  /** The caller’s name for it; null if none was given. */
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
