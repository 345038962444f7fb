/**
 * What the scripts are given: positional strings, '' for null, and sketches packed once by the caller so that the
 * scripts pass them on unread. Pure.
 */
import { Packr } from 'msgpackr';
import type { DeviceSketch } from '../../../contract/facts.js';
import { bounds } from '../bounds.js';
import type { HistoryRecord, ProbeStoreInput, RateLimit, ScoreCountInput } from '../port.js';
import { rateKeyOf } from '../rate-state.js';
import { locateTerms } from '../term-cells.js';

type Argument = string | number | Buffer;

const packr = new Packr({ useRecords: false });

/** One project’s keys live in one slot: the braces make its id the hash tag. */
export function tagOf(projectId: string): string {
  return `{${projectId}}:`;
}

export function receiptKey(projectId: string, receiptId: string): string {
  return `${tagOf(projectId)}q:${receiptId}`;
}

export function warmKey(projectId: string): string {
  return `${tagOf(projectId)}warm`;
}

export function countArguments(input: ScoreCountInput): Argument[] {
  return [
    input.nowMs,
    input.session,
    input.fingerprint,
    input.receiptId,
    bytesOf(input.content),
    input.scope,
    input.respondent ?? '',
    input.device ?? '',
    input.address,
    input.prefix,
    input.source ?? '',
    input.deviceClass ?? '',
    input.addressShared ? '1' : '',
    input.signature ?? '',
    input.history.respondent ?? '',
    input.history.source ?? '',
    input.history.subSource ?? '',
    ...limitArguments(input.limits, input.nowMs),
  ];
}

export function historyArguments(records: readonly HistoryRecord[]): Argument[] {
  return records.flatMap(({ subject, version, value }) => [subject, version, `${value.n} ${value.fraud} ${value.clawbacks} ${value.asOfDay}`]);
}

export function limitArguments(limits: readonly RateLimit[], nowMs: number): Argument[] {
  return [limits.length, ...limits.flatMap((limit) => [rateKeyOf(limit, nowMs), limit.limit, limit.windowSeconds * 1_000])];
}

export function probeArguments(input: ProbeStoreInput): Argument[] {
  const head = [input.nowMs, input.session, input.nonce, input.phase, input.seq, bytesOf(input.content)];
  if (input.phase === 'update') return [...head, '', '', ''];
  const cells = input.sketch === null ? [] : locateTerms(input.sketch).flatMap((pair) => pair ?? [-1, -1]);
  const index = packr.pack([input.bands.slice(0, bounds.bandsMax), cells]);
  return [...head, input.device ?? '', input.sketch === null ? '' : packSketch(input.sketch), index];
}

/** Terms that are hashes in hex take half the room as bytes; they are the bulk of what a session is remembered by. */
function packSketch({ terms, osFamily, browser, browserMajor }: DeviceSketch): Buffer {
  return packr.pack([terms.map((term) => (term !== null && /^(?:[0-9a-f]{2}){4,32}$/.test(term) ? Buffer.from(term, 'hex') : term)), osFamily, browser, browserMajor]);
}

function bytesOf(content: Uint8Array): Buffer {
  return Buffer.isBuffer(content) ? content : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
