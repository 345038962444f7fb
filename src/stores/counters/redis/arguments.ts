/**
 * What the scripts are given: strings in the order of argument-layouts.ts, '' for null, and sketches packed once by the caller so that
 * the scripts pass them on unread. Pure.
 */
import { Packr } from 'msgpackr';
import type { DeviceSketch } from '../../../contract/facts.js';
import { bounds } from '../bounds.js';
import type {
  CountedSession,
  HistoryRecord,
  HistoryValue,
  ProbeStoreInput,
  RateLimit,
  ScoreCountInput,
} from '../port.js';
import { splitNamespace, type Namespace } from '../namespace.js';
import { rateKeyOf } from '../rate-state.js';
import { locateTerms } from '../term-cells.js';
import { layOut, type Argument, type Item } from './argument-layouts.js';
import { packSketch } from './sketch-bytes.js';

const packr = new Packr({ useRecords: false });

/** One project’s keys live in one slot: the braces make its id the hash tag. Those of a mode other than the live one begin with its name. */
export function tagOf(namespace: Namespace): string {
  const { holder, mode } = splitNamespace(namespace);
  return mode === '' ? `{${holder}}:` : `{${holder}}:~${mode}:`;
}

/** `limitsAtMs` says in which window of its limits the call is. */
export function countArguments(input: ScoreCountInput, limitsAtMs: number): Argument[] {
  const head = {
    now: formatTimestamp(input.nowMs),
    session: refOf(input.session),
    fingerprint: input.fingerprint,
    idempotency: input.idempotency ?? '',
    receiptId: input.receiptId,
    gone: input.gone ?? '',
    content: bytesOf(input.content),
    scope: input.scope,
    respondent: refOf(input.respondent),
    device: refOf(input.device),
    address: input.address,
    prefix: input.prefix,
    source: input.source ?? '',
    deviceClass: plainOf(input.deviceClass),
    addressShared: input.addressShared ? '1' : '',
    host: refOf(input.host),
    signature: input.signature ?? '',
    historyRespondent: input.history.respondent ?? '',
    historySource: input.history.source ?? '',
    historySubSource: input.history.subSource ?? '',
    limits: input.limits.length,
  };
  return layOut('countScore', head, limitItems(input.limits, limitsAtMs));
}

export function restoreArguments(nowMs: number, sessions: readonly CountedSession[]): Argument[] {
  const itemOf = (session: CountedSession): Item<'restoreSessions'> => ({
    now: formatTimestamp(session.nowMs),
    session: refOf(session.session),
    scope: session.scope,
    respondent: refOf(session.respondent),
    device: refOf(session.device),
    address: session.address,
    prefix: session.prefix,
    source: session.source ?? '',
    deviceClass: plainOf(session.deviceClass),
    addressShared: session.addressShared ? '1' : '',
    host: refOf(session.host),
    token: refOf(session.token),
    sketch: session.sketch === null ? '' : packSketch(session.sketch),
    index: packIndex(session),
  });
  return layOut('restoreSessions', { calledAt: formatTimestamp(nowMs) }, sessions.map(itemOf));
}

export function historyArguments(records: readonly HistoryRecord[]): Argument[] {
  const itemOf = ({ subject, version, value }: HistoryRecord): Item<'publishHistory'> => ({
    subject,
    version,
    value: historyText(value),
  });
  return layOut('publishHistory', {}, records.map(itemOf));
}

/** Of so many calls under the same limits. */
export function limitArguments(limits: readonly RateLimit[], nowMs: number, calls: number): Argument[] {
  return layOut('takeRate', { limits: limits.length, calls }, limitItems(limits, nowMs));
}

function limitItems(limits: readonly RateLimit[], nowMs: number): Item<'takeRate'>[] {
  return limits.map((limit) => ({
    key: rateKeyOf(limit, nowMs),
    limit: limit.limit,
    windowMs: limit.windowSeconds * 1_000,
  }));
}

export function probeArguments(input: ProbeStoreInput): Argument[] {
  const isLoad = input.phase !== 'update';
  return layOut('storeProbe', {
    now: input.nowMs,
    session: refOf(input.session),
    nonce: input.nonce,
    phase: input.phase,
    seq: input.seq,
    content: bytesOf(input.content),
    device: isLoad ? refOf(input.device) : '',
    sketch: isLoad && input.sketch !== null ? packSketch(input.sketch) : '',
    index: isLoad ? packIndex(input) : '',
    indicators: packr.pack(input.indicators),
  });
}

/** "n fraud clawbacks asOfDay", then "age:sessions" of each that is young; whoever knows of none reads the first four. */
function historyText({ n, fraud, clawbacks, asOfDay, young = [] }: HistoryValue): string {
  return [n, fraud, clawbacks, asOfDay, ...young.map(([ageDays, sessions]) => `${ageDays}:${sessions}`)].join(' ');
}

/** Bands, and the BITFIELD offset of each term’s cell. */
function packIndex({
  sketch,
  bands,
}: {
  readonly sketch: DeviceSketch | null;
  readonly bands: readonly string[];
}): Buffer {
  const offsets = sketch === null ? [] : locateTerms(sketch).map((cell) => (cell === null ? '' : `#${cell}`));
  return packr.pack([bands.slice(0, bounds.bandsMax), offsets]);
}

/** Times sort as texts in the scripts. */
export function formatTimestamp(nowMs: number): string {
  return String(nowMs).padStart(13, '0');
}

/** The scripts keep lists of references of this width. */
function refOf(ref: string | null): string {
  if (ref !== null && ref.length !== 16) throw new RangeError('a reference of the counters has 16 characters');
  return ref ?? '';
}

/** A class stands in a line between bars. */
function plainOf(deviceClass: string | null): string {
  return deviceClass === null ? '' : deviceClass.replaceAll(/[|\n]/g, '_');
}

function bytesOf(content: Uint8Array): Buffer {
  return Buffer.isBuffer(content) ? content : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
