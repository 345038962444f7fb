/**
 * One record for a score, to which each step appends and which is never packed again. The counters keep, the core reads
 * and the seal signs beginnings of the same bytes.
 *
 *   │ whose, by which references │ what was given │ what was counted │ what the core made of it │
 *   └──────── base, kept by the counters ─────────┘                  │                          │
 *   └──────────────────── facts, judged by the core ─────────────────┘                          │
 *   └──────────────────────────────────── record, sealed ───────────────────────────────────────┘
 *
 * Fields that follow from others are not written: the time, the session and the receipt are stored once.
 */
import type { ScoreFacts } from '../contract/facts.js';
import type { RecordedVerdict } from '../contract/pool.js';
import { assembleFacts } from './assemble-facts.js';
import { joinParts, packPart, packStart, readParts } from './codec.js';
import { countedShape, givenShape, headShape, outcomeShape, sealShape } from './shapes.js';
import type { Counted, Receipt, ScoreBase } from './types.js';
import type { Seal } from '../crypto/batch-signer.js';

/** The written form. */
type Head = Omit<ScoreBase, 'facts'> & { readonly sessionId: string };
type Given = Omit<ScoreBase['facts'], 'receiptId' | 'scoredAtMs' | 'sessionId' | 'prefix'>;

interface Outcome {
  readonly supersedes: string | null;
  readonly verdict: RecordedVerdict;
  /** Reference of the token that the page kept, where no hash of the caller’s stands for the device. */
  readonly token?: string | null;
}

export function packBase({ owner, sourceId, studyId, modelVersion, trace, subjects, facts }: ScoreBase): Uint8Array {
  const { sessionId } = facts;
  const head = { owner, sourceId, sessionId, studyId, modelVersion, trace, subjects };
  return packStart(headShape.encode(head), givenShape.encode(facts));
}

/** Reads bytes that the counters kept, or facts, or a record. */
export const openBase = (packed: Uint8Array): ScoreBase => baseOf(readParts(packed));

function baseOf([packedHead, packedGiven]: readonly unknown[]): ScoreBase {
  const { owner, sourceId, sessionId, studyId, modelVersion, trace, subjects } = headShape.decode(packedHead) as Head;
  const given = givenShape.decode(packedGiven) as Given;
  const { receiptId } = owner;
  const facts = { receiptId, scoredAtMs: trace.nowMs, sessionId, prefix: trace.prefix, ...given };
  return { owner, sourceId, studyId, modelVersion, trace, subjects, facts };
}

/** Packs the counted figures for a record; null if the counters did not reply. */
export const packCounted = (counted: Counted | null): Uint8Array =>
  packPart(countedShape, counted === null ? null : keptOf(counted));

/** The facts of a score: its packed base, and what was counted. */
export const appendCounted = (base: Uint8Array, counted: Counted | null): Uint8Array =>
  joinParts(base, packCounted(counted));

/** Facts as the counters recorded them for a receipt. */
export const factsOf = (recorded: Counted & { readonly content: Uint8Array }): Uint8Array =>
  appendCounted(recorded.content, recorded);

/** Pages of the probe as their messages came. */
function keptOf({ supersedes, device, signatureFresh, complete, history, probe, counts }: Counted): object {
  const kept = probe === null ? null : { pages: probe.pages, device: probe.device };
  return { supersedes, device, signatureFresh, complete, history, probe: kept, counts };
}

/** Reads packed facts, or a record. */
export function openFacts(packed: Uint8Array): ScoreFacts {
  const parts = readParts(packed);
  return assembleFacts(baseOf(parts), countedOf(parts));
}

/** The counters’ reply at the time when facts, or a record, were packed; null if they did not reply. */
export const decodeCounters = (packed: Uint8Array): Counted | null => countedOf(readParts(packed));

const countedOf = ([, , counted = null]: readonly unknown[]): Counted | null =>
  countedShape.decode(counted) as Counted | null;

/** Packs the core’s result for facts. Joined to them, it makes the record of a score. */
export const packOutcome = (
  verdict: RecordedVerdict,
  { supersedes = null, deviceHashed, token = null }: Pick<ScoreFacts, 'supersedes' | 'deviceHashed' | 'token'>,
): Uint8Array =>
  packPart(outcomeShape, { supersedes, verdict, token: deviceHashed === true ? null : token } satisfies Outcome);

/** Reads a record, which `facts` is as well. */
export function openReceipt(record: Uint8Array): Receipt {
  const [head, , , outcome] = readParts(record);
  const { owner, sourceId, sessionId, studyId, trace, subjects } = headShape.decode(head) as Head;
  const { supersedes, verdict, token } = outcomeShape.decode(outcome) as Outcome;
  // Spread last: spreading first is 80 times slower in V8.
  const device = trace.device ?? token ?? null;
  return { sourceId, sessionId, studyId, supersedes, trace, subjects, device, verdict, facts: record, ...owner };
}

export interface SealedRecord {
  /** The seal covers exactly these bytes. */
  readonly record: Uint8Array;
  /** Packed, for `openSeal`. */
  readonly seal: Uint8Array;
}

/** An entry of the log. */
export const packSealed = (record: Uint8Array, seal: Seal): Uint8Array =>
  packStart(packStart(sealShape.encode(seal)), record);

export function openSealed(entry: Uint8Array): SealedRecord {
  const [seal, record] = readParts(entry);
  if (!(seal instanceof Uint8Array && record instanceof Uint8Array))
    throw new Error('an entry of the log without a record');
  return { record, seal };
}

export const openSeal = (packed: Uint8Array): Seal => sealShape.decode(readParts(packed)[0]) as Seal;
