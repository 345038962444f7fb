/**
 * What the scripts are given: positional strings, '' for null, and sketches packed once by the caller so that the
 * scripts pass them on unread. Pure.
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

type Argument = string | number | Buffer;

const packr = new Packr({ useRecords: false });

/** One project’s keys live in one slot: the braces make its id the hash tag. Those of a world other than the live one begin with its name. */
export function tagOf(namespace: Namespace): string {
  const { holder, world } = splitNamespace(namespace);
  return world === '' ? `{${holder}}:` : `{${holder}}:~${world}:`;
}

export function warmKey(namespace: Namespace): string {
  return `${tagOf(namespace)}warm`;
}

export function countArguments(input: ScoreCountInput): Argument[] {
  return [
    stampOf(input.nowMs),
    refOf(input.session),
    input.fingerprint,
    input.receiptId,
    bytesOf(input.content),
    input.scope,
    refOf(input.respondent),
    refOf(input.device),
    input.address,
    input.prefix,
    input.source ?? '',
    plainOf(input.deviceClass),
    input.addressShared ? '1' : '',
    input.signature ?? '',
    input.history.respondent ?? '',
    input.history.source ?? '',
    input.history.subSource ?? '',
    ...limitArguments(input.limits, input.nowMs),
  ];
}

export function restoreArguments(nowMs: number, sessions: readonly CountedSession[]): Argument[] {
  const argumentsOf = (session: CountedSession): Argument[] => [
    stampOf(session.nowMs),
    refOf(session.session),
    session.scope,
    refOf(session.respondent),
    refOf(session.device),
    session.address,
    session.prefix,
    session.source ?? '',
    plainOf(session.deviceClass),
    session.addressShared ? '1' : '',
    session.sketch === null ? '' : packSketch(session.sketch),
    packIndex(session),
  ];
  return [stampOf(nowMs), ...sessions.flatMap(argumentsOf)];
}

export function historyArguments(records: readonly HistoryRecord[]): Argument[] {
  return records.flatMap(({ subject, version, value }) => [subject, version, historyText(value)]);
}

export function limitArguments(limits: readonly RateLimit[], nowMs: number): Argument[] {
  return [
    limits.length,
    ...limits.flatMap((limit) => [rateKeyOf(limit, nowMs), limit.limit, limit.windowSeconds * 1_000]),
  ];
}

export function probeArguments(input: ProbeStoreInput): Argument[] {
  const head = [input.nowMs, refOf(input.session), input.nonce, input.phase, input.seq, bytesOf(input.content)];
  if (input.phase === 'update') return [...head, '', '', ''];
  return [...head, refOf(input.device), input.sketch === null ? '' : packSketch(input.sketch), packIndex(input)];
}

/** "n fraud clawbacks asOfDay", then "age:sessions" of each that is young; whoever knows of none reads the first four. */
function historyText({ n, fraud, clawbacks, asOfDay, young = [] }: HistoryValue): string {
  return [n, fraud, clawbacks, asOfDay, ...young.map(([ageDays, sessions]) => `${ageDays}:${sessions}`)].join(' ');
}

/** Bands, and two cells for each term. */
function packIndex({
  sketch,
  bands,
}: {
  readonly sketch: DeviceSketch | null;
  readonly bands: readonly string[];
}): Buffer {
  const cells = sketch === null ? [] : locateTerms(sketch).flatMap((pair) => pair ?? [-1, -1]);
  return packr.pack([bands.slice(0, bounds.bandsMax), cells]);
}

/** Times sort as texts in the scripts. */
function stampOf(nowMs: number): string {
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

/** Terms that are hashes in hex take half the room as bytes; they are the bulk of what a session is remembered by. */
function packSketch({ terms, osFamily, browser, browserMajor }: DeviceSketch): Buffer {
  return packr.pack([
    terms.map((term) => (term !== null && /^(?:[0-9a-f]{2}){4,32}$/.test(term) ? Buffer.from(term, 'hex') : term)),
    osFamily,
    browser,
    browserMajor,
  ]);
}

function bytesOf(content: Uint8Array): Buffer {
  return Buffer.isBuffer(content) ? content : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
