/**
 * One scoring call, and the restoring of a session, as steps of counting. The limits come before: a call that they refuse does not come here.
 */
import { bounds } from '../bounds.js';
import { splitNamespace, type Namespace } from '../namespace.js';
import type { CountedSession, CountRecord, RecentReceipt, ScoreCountInput } from '../port.js';
import { bytesOf, joinParts, packTime, splitParts, timeAt, type Bytes } from './bytes.js';
import { openCall, packOrNull, type Call } from './call.js';
import { countSession, type Seen } from './count.js';
import { firstKeys, firstValues, type Value } from './first-values.js';
import { findReplay, noteReplay, packGuard, readGuard } from './guard.js';
import { addHistoryKeys, readHistories, type HistoryValues } from './histories.js';
import { keysOf, probeKeyOf } from './keys.js';
import { holdProbe, scoredProbe, storedProbe, type ScoredProbe } from './probes.js';
import { packReceipt, readReceipt } from './receipts.js';
import { packSketch } from './sketch-bytes.js';
import { payloadOf, type Ended, type Step } from './step.js';
import { packCells } from './terms.js';
import { readWindow, tailOf, type Windows } from './windows.js';

/** See `ScoreCountResult`, without the limits. */
export type Scored =
  | { readonly kind: 'conflict' }
  | ({ readonly kind: 'counted' } & CountRecord)
  | { readonly kind: 'replayed'; readonly recorded: RecentReceipt }
  | { readonly kind: 'released'; readonly receiptId: string };

export function* countScore(windows: Windows, input: ScoreCountInput): Step<Ended<Scored>> {
  const { nowMs, fingerprint } = input;
  const { call, probe, ofCall, known } = yield* openScore(windows, input);
  const version = probe?.version ?? '';
  const complete = isComplete(call, ofCall.complete);
  const promised = readPromise(ofCall.idempotency, nowMs);
  if (promised !== null && promised.fingerprint !== fingerprint)
    return { result: { kind: 'conflict' }, writes: call.writes };
  const replay = promised ?? findReplay(call.guard, fingerprint, version, nowMs);
  const retried = replay === null ? null : yield* answerRetry(input, replay.receiptId);
  if (replay !== null && retried !== null) {
    if (promised === null) promise(call, input, ofCall.idempotency, replay);
    return { result: retried, writes: call.writes };
  }
  const supersedes = call.guard.replays[0]?.receiptId ?? null;
  const counted = yield* countSession(call, probe === null ? unseen : seenIn(probe), known);
  if (counted === null) throw new Error('a session that is scored has counts');
  const { receiptId } = input;
  noteReplay(call.guard, { fingerprint, version, receiptId, atMs: nowMs });
  writeGuard(call, known.guard);
  promise(call, input, ofCall.idempotency, { receiptId, atMs: nowMs });
  const result = {
    kind: 'counted' as const,
    receiptId,
    supersedes,
    counts: counted.counts,
    device: call.session.device,
    signatureFresh: claimSignature(call, input, ofCall.signature),
    complete,
    history: readHistories(input, ofCall.histories, known.deviceHistory),
    probe: probe === null ? null : storedProbe(probe.kept, probe.names, probe.device),
  };
  const receipt = packReceipt({ content: input.content, counted: result, picked: counted.picked, probe });
  call.writes.puts.push({ key: call.keys.receipt(receiptId), value: receipt, keepMs: bounds.receiptMs });
  if (probe !== null) holdProbe(call.writes, probeKeyOf(holderOf(input), input.session), probe);
  return { result, writes: call.writes };
}

const unseen: Seen = { token: null, sketch: '', bands: [], cells: '' };
const seenIn = ({ device, sketch, bands, cells }: ScoredProbe): Seen => ({ token: device, sketch, bands, cells });

/** The page’s probe is the project’s, whatever mode the key counts in. */
const holderOf = ({ namespace }: Pick<ScoreCountInput, 'namespace'>): string => splitNamespace(namespace).holder;

interface CallValues {
  readonly idempotency: Value;
  readonly signature: Value;
  readonly complete: Value;
  readonly histories: HistoryValues;
}

interface OpenScore {
  readonly call: Call;
  readonly probe: ScoredProbe | null;
  readonly ofCall: CallValues;
  readonly known: ReturnType<typeof firstValues>;
}

/** Reads everything that has a name before it is read. */
function* openScore(windows: Windows, input: ScoreCountInput): Step<OpenScore> {
  const { namespace, nowMs, idempotency, signature, session } = input;
  const first = openCall(namespace, input, nowMs, false);
  const { keys } = first;
  const wanted = firstKeys(first);
  let place = wanted.length;
  wanted.push(probeKeyOf(holderOf(input), session), keys.complete);
  if (idempotency != null) wanted.push(keys.idempotency(idempotency));
  if (signature !== null) wanted.push(keys.signature(signature));
  addHistoryKeys(input, keys, wanted);
  const tail = tailOf(first, windows);
  const given = yield { keys: wanted, tail };
  const { values } = given;
  const window = yield* readWindow(windows, tail, given);
  const probe = scoredProbe(session, values[place++], nowMs);
  const ofCall: CallValues = {
    complete: values[place++],
    idempotency: idempotency == null ? undefined : values[place++],
    signature: signature === null ? undefined : values[place++],
    histories: { values, from: place },
  };
  const known = firstValues(first, values, window);
  first.guard = readGuard(known.guard, nowMs, nowMs);
  const device = input.device ?? probe?.device ?? null;
  if (device === input.device) return { call: first, probe, ofCall, known };
  const call = { ...first, session: { ...input, device }, refs: { ...first.refs, device: packOrNull(device) } };
  return { call, probe, ofCall, known };
}

/** null: the receipt is nowhere any more, and the call is counted. */
function* answerRetry(input: ScoreCountInput, receiptId: string): Step<Scored | null> {
  const { namespace, gone } = input;
  const { values } = yield { keys: [keysOf(namespace, '').receipt(receiptId)] };
  const [value] = values;
  if (value != null) return { kind: 'replayed', recorded: yield* readReceipt(namespace, value) };
  return receiptId === gone ? null : { kind: 'released', receiptId };
}

function writeGuard({ guard, keys, session, nowMs, clockMs, writes }: Call, before: Value): void {
  writes.claim(keys.guard(session.session), before, packGuard(guard, nowMs, clockMs), bounds.guardMs);
}

/** A signature is good for the one session that brought it first. */
function claimSignature(call: Call, { signature }: ScoreCountInput, before: Value): boolean {
  if (signature === null) return false;
  const known = payloadOf(before);
  if (known !== '' && call.nowMs - timeAt(known, call.ref.length) < bounds.signatureMs)
    return known.startsWith(call.ref);
  call.writes.claim(call.keys.signature(signature), before, call.ref + call.stamp, bounds.signatureMs);
  return true;
}

interface Promised {
  readonly fingerprint: string;
  readonly receiptId: string;
  /** When the receipt was given. */
  readonly atMs: number;
}

/** The body and the receipt of an idempotency key. */
function readPromise(value: Value, nowMs: number): Promised | null {
  const [fingerprint = '', receiptId = '', at = ''] = splitParts(payloadOf(value));
  if (at === '' || nowMs - timeAt(at, 0) >= bounds.receiptMs) return null;
  return { fingerprint, receiptId, atMs: timeAt(at, 0) };
}

function promise(
  { writes, keys }: Call,
  { idempotency, fingerprint }: ScoreCountInput,
  before: Value,
  { receiptId, atMs }: Pick<Promised, 'receiptId' | 'atMs'>,
): void {
  if (idempotency == null) return;
  const payload = joinParts([fingerprint, receiptId, packTime(atMs)]);
  writes.claim(keys.idempotency(idempotency), before, payload, bounds.receiptMs);
}

/** A project that is complete stays it while it is scored. A mark that was taken away meanwhile does not come back. */
function isComplete({ nowMs, keys, writes }: Call, mark: Value): boolean {
  if (mark == null) return false;
  const markedMs = Number(mark);
  if (nowMs - markedMs >= bounds.completeMs) return false;
  if (Math.abs(nowMs - markedMs) >= bounds.completeRenewMs) {
    const expected = mark.slice(0, 2) + String(mark.length);
    writes.claims.push({ key: keys.complete, expected, value: packMark(nowMs), keepMs: bounds.completeMs });
  }
  return true;
}

/** The value of a complete project’s mark. */
export const packMark = (nowMs: number): Bytes => String(nowMs).padStart(13, '0');

/** Counts a session that the store lost; a counter that no longer looks back that far is left out. */
export function* restoreSession(
  windows: Windows,
  {
    namespace,
    session,
    clockMs,
  }: { readonly namespace: Namespace; readonly session: CountedSession; readonly clockMs: number },
): Step<Ended<void>> {
  const call = openCall(namespace, session, clockMs, true);
  const tail = tailOf(call, windows);
  const given = yield { keys: firstKeys(call), tail };
  const window = yield* readWindow(windows, tail, given);
  const known = firstValues(call, given.values, window);
  call.guard = readGuard(known.guard, call.nowMs, clockMs);
  const { token, sketch } = session;
  const seen = {
    token,
    sketch: sketch === null ? '' : bytesOf(packSketch(sketch)),
    bands: session.bands.slice(0, bounds.bandsMax),
    cells: packCells(sketch),
  };
  yield* countSession(call, seen, known);
  writeGuard(call, known.guard);
  return { result: undefined, writes: call.writes };
}

/** Whether each of these sessions was scored within its guard’s time. */
export function* wereScored(namespace: Namespace, sessions: readonly string[]): Step<Ended<readonly boolean[]>> {
  const keys = keysOf(namespace, '');
  const { values } = yield { keys: sessions.map((session) => keys.guard(session)) };
  return { result: values.map((value) => value !== null), writes: null };
}
