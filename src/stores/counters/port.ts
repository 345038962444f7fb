/**
 * The counters store: velocity, duplicate candidates, rate limits, probes, recent receipts.
 *
 * Promises of every adapter:
 * - A missing key reads as nothing counted (0) or null; never as an error.
 * - Every key has an expiry. An expired key and a missing key are the same.
 * - Short of memory, the store refuses writes (StoreUnavailable) rather than forgetting silently what it still claims to count.
 * - A session is counted once, however often it is scored: each (counter, session) pair adds at most once.
 * - Of `countScore` calls at once on one session, person, device or address each sees those before it. What all sessions of a study or source share,
 *   and devices that are alike, is that of the moment when it was read.
 * - When the store is away, every call rejects with a StoreUnavailable fault within its deadline. Nothing is made up.
 * - All keys of one project share a hash tag, so that they live in one slot. Its modes (see namespace.ts) are counted apart; they share
 *   the probes, which no score changes, and the limits.
 * - Distinct counts are exact up to 128 where a cap says so and within 5% up to 2,048 otherwise.
 */
import type { CountFacts, DeviceSketch, Ref } from '../../contract/facts.js';
import type { RateState } from '../../contract/rate.js';
import type { Namespace } from './namespace.js';

/** A fixed-window limit; `limit` calls per `windowSeconds`, the window aligned to the epoch. */
export interface RateLimit {
  readonly key: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

/** One page load. A load message and an update message carry different groups, so the newest of each is kept, and the reader merges them. */
export interface StoredPage {
  /** Content of the newest load message; null while only updates have come. */
  readonly load: Uint8Array | null;
  /** Content of the newest update message. */
  readonly update: Uint8Array | null;
}

/**
 * The probe of a session as it stands in the store: its page loads in the order in which they were first heard of. At most `pagesMax` of them and
 * about `pagesBytesMax`; the first, the newest and the most suspicious stay. A page of which only updates came is let go after an hour.
 */
export interface StoredProbe {
  readonly pages: readonly StoredPage[];
  /** Reference of the first storage token that a page reported; null if no page could store one. */
  readonly device: Ref | null;
  /** The sketch of the first page that sent a load message, like the bands. */
  readonly sketch: DeviceSketch | null;
  /** Locality-sensitive hashes of the sketch; sessions that share one are candidates. At most 20. */
  readonly bands: readonly string[];
}

export type RiskIndicator = readonly [code: string, weight: number];

export interface ProbeStoreInput {
  readonly nowMs: number;
  readonly projectId: string;
  readonly session: Ref;
  /** Stands for one page load; `seq` compares within one nonce only. */
  readonly nonce: Ref;
  readonly phase: 'load' | 'update';
  readonly seq: number;
  /** Packed { body, transport } as the scoring core will read it. */
  readonly content: Uint8Array;
  /** Device, sketch and bands are derived from a load message; those of an update are not looked at. */
  readonly device: Ref | null;
  readonly sketch: DeviceSketch | null;
  readonly bands: readonly string[];
  /** Evidence of the message against the session, by the code of each finding, with any measure of its strength, if more is worse. A replaced message is kept unless another one has as much evidence. */
  readonly indicators: readonly RiskIndicator[];
}

/** Input of a session, by marks that the same input has in common; the first letter of each names its group. */
export interface MovementInput {
  readonly nowMs: number;
  readonly projectId: string;
  readonly session: Ref;
  readonly marks: readonly string[];
}

export type ProbeStoreResult =
  | 'stored'
  /** This or a newer message of its phase stands already, or its page load was let go; nothing changed. */
  | 'stale'
  /** The nonce was used by another session. */
  | 'nonce_reused';

/** A subject’s record of adjudicated outcomes as it was published: decayed up to `asOfDay` (days since 1970). */
export interface HistoryValue {
  readonly n: number;
  readonly fraud: number;
  readonly clawbacks: number;
  readonly asOfDay: number;
  /** Sessions that are not in `n` yet, by their age in days as of that day. Absent: none. */
  readonly young?: readonly (readonly [ageDays: number, sessions: number])[];
}

/** Subjects of history that a session may name. The session’s device is one more: it is known once the probe was read. */
export type HistorySubject = 'respondent' | 'source' | 'subSource';
export const furtherSubjects = ['range', 'network', 'study'] as const;
export type FurtherSubject = (typeof furtherSubjects)[number];

/** The store’s history of the subjects that a score names; a subject that was not named or has no record is null, a further one absent. */
export type StoredHistory = Readonly<Record<HistorySubject, HistoryValue | null>> &
  Readonly<Partial<Record<FurtherSubject | 'device', HistoryValue>>>;

export interface HistoryRecord {
  readonly subject: Ref;
  /** Grows with every change of the subject’s record. */
  readonly version: number;
  readonly value: HistoryValue;
}

export interface ScoreCountInput {
  readonly nowMs: number;
  /** Counts stay in this namespace; the probe and the limits are those of its project. */
  readonly namespace: Namespace;
  /** Reference of the session. */
  readonly session: Ref;
  /** Hash of the request body: the same body, with no newer probe, is an identical retry. */
  readonly fingerprint: string;
  /** Reference of the caller’s key for this call; null or absent without one. The same key with another fingerprint is a conflict for as long as the receipt is kept. */
  readonly idempotency?: Ref | null;
  readonly receiptId: string;
  /** A receipt that no store has, as after an erasure: a retry that would be answered with it is counted. Absent: every retry is answered. */
  readonly gone?: string;
  /** Kept under the receipt’s id, together with the counts, for `recentReceipt`. */
  readonly content: Uint8Array;
  readonly limits: readonly RateLimit[];
  /** Reference of the scope of duplicate and velocity: the study, else the source, else the project. */
  readonly scope: Ref;
  readonly respondent: Ref | null;
  /** From deviceHash; where null, the probe’s device stands in. */
  readonly device: Ref | null;
  readonly address: Ref;
  readonly prefix: Ref;
  readonly source: Ref | null;
  /** Coarse class of the device for the address link, e.g. "windows/chrome"; null where unknown. */
  readonly deviceClass: string | null;
  /** Links through shared networks (carrier NAT, anonymous, campus) do not link sessions together. */
  readonly addressShared: boolean;
  /** Reference of the single IPv6 address inside the /64 that `address` stands for; null for IPv4. */
  readonly host: Ref | null;
  /** Reference of a web-bot-auth signature, good for the one session that brought it first; null where none verified. */
  readonly signature: Ref | null;
  /** Subjects whose published history is read along; they belong to the project, not to the scope. */
  readonly history: Readonly<Record<HistorySubject, Ref | null>> & Readonly<Partial<Record<FurtherSubject, Ref>>>;
}

/** A session that was counted once, with what its probe had reported by then. */
export type CountedSession = Pick<
  ScoreCountInput,
  | 'nowMs'
  | 'session'
  | 'scope'
  | 'respondent'
  | 'device'
  | 'address'
  | 'prefix'
  | 'source'
  | 'deviceClass'
  | 'addressShared'
  | 'host'
> & {
  /** The token that the page kept; the same as `device` if the caller sent none. */
  readonly token: Ref | null;
  readonly sketch: DeviceSketch | null;
  readonly bands: readonly string[];
};

export type ScoreCountResult =
  /** The limits come first: nothing was counted, and nothing else was looked at. */
  | { readonly kind: 'limited'; readonly rate: RateState }
  /** The idempotency key was used for another body: only the limits were counted. */
  | { readonly kind: 'conflict'; readonly rate: RateState }
  | ({ readonly kind: 'counted'; readonly rate: RateState } & CountRecord)
  /** Same session, same fingerprint, same probe, or the same idempotency key: what was recorded then, with the first receipt’s id. */
  | { readonly kind: 'replayed'; readonly rate: RateState; readonly recorded: RecentReceipt }
  /** A replay whose receipt was let go of here: the database has it. Only the limits were counted. */
  | { readonly kind: 'released'; readonly rate: RateState; readonly receiptId: string };

/** The result of `countScore`. */
export interface CountRecord {
  readonly receiptId: string;
  /** The latest receipt of the session before this one, while its guard is kept; else null. */
  readonly supersedes: string | null;
  readonly counts: CountFacts;
  readonly probe: StoredProbe | null;
  /** The input’s device, else the probe’s. */
  readonly device: Ref | null;
  /** False without a signature. */
  readonly signatureFresh: boolean;
  /** False: the store had lost this project’s data or never had it. The counts are of what came since, and history is unknown. */
  readonly complete: boolean;
  readonly history: StoredHistory;
}

/** A receipt as `countScore` recorded it: enough to render the verdict again. */
export interface RecentReceipt extends CountRecord {
  readonly namespace: Namespace;
  readonly content: Uint8Array;
}

export interface Counters extends Completeness {
  /** Verifies that the store takes writes; rejects otherwise. */
  ping(): Promise<void>;
  /** Counts one scoring call; see ScoreCountInput. */
  countScore(input: ScoreCountInput): Promise<ScoreCountResult>;
  /** Keeps a message of the probe for its session (expiry: limits.probeKeepSeconds, of an update without a load limits.updateKeepSeconds). */
  storeProbe(input: ProbeStoreInput): Promise<ProbeStoreResult>;
  /**
   * Notes the input of a session, and answers in how many other sessions of the project the same came within two days, up to
   * `bounds.movementSessionsMax`: those that share marks of `bounds.movementGroupsMin` groups. Beyond `bounds.movementMarksMax` the older are let go.
   */
  noteMovement(input: MovementInput): Promise<number>;
  /** The kept probe of a session; null if there is none. Changes nothing. */
  findProbe(projectId: string, session: Ref, nowMs: number): Promise<StoredProbe | null>;
  /** Whether each of these sessions (at most 1,000) was scored within its guard’s time. */
  wereScored(namespace: Namespace, sessions: readonly Ref[]): Promise<readonly boolean[]>;
  /** The receipt as recorded by countScore, or null when it expired, was released or never was. */
  recentReceipt(namespace: Namespace, receiptId: string): Promise<RecentReceipt | null>;
  /** The database has these receipts: they are kept `bounds.recordedReceiptMs` more, or for the rest of their time if that is less. */
  releaseReceipts(namespace: Namespace, receiptIds: readonly string[]): Promise<void>;
  /** Takes recent receipts away before their time: who they are about was erased. */
  forgetReceipts(namespace: Namespace, receiptIds: readonly string[]): Promise<void>;
  /** Deletes the kept probes of these sessions before their time, for the same reason. */
  forgetProbes(projectId: string, sessions: readonly Ref[]): Promise<void>;
  /** Takes one call off each limit, or none off any when one is used up. `tag` is the slot: limits under a project’s id are the same as in its countScore. */
  takeRate(tag: string, nowMs: number, limits: readonly RateLimit[]): Promise<RateState>;
  /** Makes records known to `countScore`. A lower or equal version never replaces a higher one. Kept `bounds.historyMs` from the latest write. */
  publishHistory(namespace: Namespace, records: readonly HistoryRecord[]): Promise<void>;
  /**
   * Counts sessions that the store lost, each as `countScore` would have at its `nowMs`; a counter that no longer looks
   * back that far is left out. A session counts once, however often it is restored, and also if it is counted live
   * meanwhile. At most 500 in a call. By their time, or the hourly baseline of a source is not what it was; newest first, it leans on the oldest hours.
   */
  restoreSessions(namespace: Namespace, sessions: readonly CountedSession[]): Promise<void>;
  close(): Promise<void>;
}

export interface Holding {
  readonly isComplete: boolean;
  /** If the project is incomplete, counts up to this time are still there; null if none are known to be. */
  readonly keptUpToMs: number | null;
}

/** Whether the caller may bring a project back; `interrupted` says that the store has lost something once more since it began. */
export type RebuildClaim = 'held' | 'taken' | 'interrupted';

/**
 * Whether the store still holds what was counted. Emptied, restarted from an older snapshot or replaced by a replica, it looks well; so
 * each project carries the run of the server and the line of its data, and up to when it was seen to be there.
 */
export interface Completeness {
  /**
   * Checks whether the store holds all that it should of the project, and notes the result: incomplete for every caller until it is marked
   * again.
   */
  checkComplete(namespace: Namespace): Promise<Holding>;
  /** Takes the rebuilding of a project for `bounds.claimMs`, or renews it: one owner at a time. */
  claimRebuild(namespace: Namespace, owner: string, isRenewal: boolean): Promise<RebuildClaim>;
  /** Notes how far the owner's rebuild has come, by a name of the caller's; false where the owner no longer holds it or the store lost something since. */
  noteRebuilt(namespace: Namespace, owner: string, downTo: string): Promise<boolean>;
  /** The progress of a rebuild that ended early, in any process; null if there was none since the store lost data. */
  rebuiltDownTo(namespace: Namespace): Promise<string | null>;
  /**
   * Marks a project as whole, until 48 h after its last score; the next check marks it again if nothing was lost. An `owner` must hold the rebuild, which ends; false if something was lost
   * meanwhile.
   */
  markComplete(namespace: Namespace, owner?: string): Promise<boolean>;
  /** Grows whenever the connection to the store broke: what it held may be another server's now. */
  interruptions(): number;
}
