/**
 * One record for a score, to which each step appends and which nobody packs again. What the counters keep, what the core reads and what is
 * signed are beginnings of the same bytes.
 *
 *   │ whose, by which references │ what was given │ what was counted │ what the core made of it │
 *   └──────── base, kept by the counters ─────────┘                  │                          │
 *   └──────────────────── facts, judged by the core ─────────────────┘                          │
 *   └──────────────────────────────────── record, sealed ───────────────────────────────────────┘
 *
 * What follows from other fields is not written: the time, the session and the receipt stand once. Records of before (msgpack, with names) are
 * read as well, for good.
 */
import { pack, unpack } from 'msgpackr';
import type { ScoreFacts } from '../contract/facts.js';
import type { RecordedVerdict } from '../contract/pool.js';
import { assembleFacts } from './assemble-facts.js';
import { packParts, packValue } from './pack-value.js';
import { appendPart, isMarked, splitParts, start, type Parts } from './parts.js';
import { countedShape, givenShape, headShape, outcomeShape } from './shapes.js';
import type { Counted, Receipt, RecordFormat, ScoreBase, Writable } from './types.js';
import { unpackPart } from './unpack-value.js';

/** As it is written. */
type Head = Omit<ScoreBase, 'facts'> & { readonly sessionId: string };
type Given = Omit<ScoreBase['facts'], 'receiptId' | 'scoredAtMs' | 'sessionId' | 'prefix'>;

interface Outcome {
  readonly supersedes: string | null;
  readonly verdict: RecordedVerdict;
}

export function packBase({ owner, sourceId, studyId, modelVersion, trace, subjects, facts }: ScoreBase): Uint8Array {
  const { sessionId } = facts;
  return packParts(start, [
    [headShape, { owner, sourceId, sessionId, studyId, modelVersion, trace, subjects }],
    [givenShape, facts],
  ]);
}

/** Of the bytes that the counters kept, or of facts, or of a record. */
export function openBase(packed: Uint8Array): ScoreBase {
  if (!isMarked(packed)) return unpack(packed) as ScoreBase;
  return baseOf(splitParts(packed));
}

/** As it is kept in the counters; `format` 1 for instances of before that may read it. */
export const keepBase = (base: ScoreBase, packed: Uint8Array, format: RecordFormat): Uint8Array =>
  format === 1 ? new Uint8Array(pack(base)) : packed;

/** In the order in which they are appended. */
const places = { head: 0, given: 1, counted: 2, outcome: 3 } as const;

const openHead = (parts: Parts): Head => unpackPart(headShape, parts, places.head) as Head;

function baseOf(parts: Parts): ScoreBase {
  const { owner, sourceId, sessionId, studyId, modelVersion, trace, subjects } = openHead(parts);
  const given = unpackPart(givenShape, parts, places.given) as Given;
  const { receiptId } = owner;
  const facts = { receiptId, scoredAtMs: trace.nowMs, sessionId, prefix: trace.prefix, ...given };
  const base: Writable<ScoreBase> = { owner, sourceId, trace, subjects, facts };
  if (studyId !== undefined) base.studyId = studyId;
  if (modelVersion !== undefined) base.modelVersion = modelVersion;
  return base;
}

/** The facts of a score: its packed base, and what was counted; null where the counters did not answer. */
export const appendCounted = (base: Uint8Array, counted: Counted | null): Uint8Array =>
  packParts(base, [counted === null ? null : [countedShape, keptOf(counted)]]);

/** Facts as the counters recorded them for a receipt. */
export const factsOf = (recorded: Counted & { readonly content: Uint8Array }): Uint8Array =>
  isMarked(recorded.content)
    ? appendCounted(recorded.content, recorded)
    : packFacts(assembleFacts(openBase(recorded.content), recorded));

/** Pages of the probe as their messages came. */
function keptOf({ supersedes, device, signatureFresh, warm, history, probe, counts }: Counted): object {
  const kept = probe === null ? null : { pages: probe.pages, device: probe.device };
  return { supersedes, device, signatureFresh, warm, history, probe: kept, counts };
}

/** Of packed facts, or of a record; those of before were packed whole. */
export function openFacts(packed: Uint8Array): ScoreFacts {
  if (!isMarked(packed)) return unpack(packed) as ScoreFacts;
  const parts = splitParts(packed);
  const counted = unpackPart(countedShape, parts, places.counted) as Counted | undefined;
  return assembleFacts(baseOf(parts), counted ?? null);
}

/** What the counters answered when facts, or a record, were packed; null where they did not, and in what was packed by names. */
export function openCounted(packed: Uint8Array): Counted | null {
  if (!isMarked(packed)) return null;
  return (unpackPart(countedShape, splitParts(packed), places.counted) as Counted | undefined) ?? null;
}

/** Facts that no counters were asked for; whole, with names. */
export const packFacts = (facts: ScoreFacts): Uint8Array => new Uint8Array(pack(facts));

/** What the core made of facts, for `appendOutcome`. */
export const packOutcome = (verdict: RecordedVerdict, facts: ScoreFacts): Uint8Array =>
  packValue(outcomeShape, { supersedes: facts.supersedes ?? null, verdict } satisfies Outcome);

/** The record of a score, to be sealed; `format` 1 for instances of before that may read it. */
export function appendOutcome(facts: Uint8Array, outcome: Uint8Array, format: RecordFormat): Uint8Array {
  const record = appendPart(facts, outcome);
  if (format === 2) return record;
  return new Uint8Array(pack({ ...openReceipt(record), facts: packFacts(openFacts(facts)) } satisfies Receipt));
}

/** Of a record. Its `facts` are the record itself where that was packed here. */
export function openReceipt(record: Uint8Array): Receipt {
  if (!isMarked(record)) return unpack(record) as Receipt;
  const parts = splitParts(record);
  const { owner, sourceId, sessionId, studyId = null, trace, subjects } = openHead(parts);
  const { supersedes, verdict } = unpackPart(outcomeShape, parts, places.outcome) as Outcome;
  // What is spread first and added to is made eighty times slower.
  return { sourceId, sessionId, studyId, supersedes, trace, subjects, verdict, facts: record, ...owner };
}
