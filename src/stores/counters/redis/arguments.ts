/**
 * The arguments of every script, named in order by layouts; the loader inlines the positions, so that neither side counts them. Arguments
 * are strings, '' for null; sketches are packed by the caller. Pure.
 */
import { Packr } from 'msgpackr';
import type { DeviceSketch } from '../../../contract/facts.js';
import { bounds, locateTerms, rateKeyOf } from '../bounds.js';
import type {
  CountedSession,
  HistoryRecord,
  HistoryValue,
  ProbeStoreInput,
  RateLimit,
  ScoreCountInput,
} from '../port.js';
import { splitNamespace, type Namespace } from '../namespace.js';
import { packSketch } from './sketch-bytes.js';

export type Argument = string | number | Buffer;

const limitFields = ['key', 'limit', 'windowMs'] as const;

/** `head` comes once; `each` once for every item after it. */
export const argumentLayouts = {
  countScore: {
    head: [
      'now',
      'session',
      'fingerprint',
      'idempotency',
      'receiptId',
      'gone',
      'content',
      'scope',
      'respondent',
      'device',
      'address',
      'prefix',
      'source',
      'deviceClass',
      'addressShared',
      'host',
      'signature',
      'historyRespondent',
      'historySource',
      'historySubSource',
      'limits',
    ],
    each: limitFields,
  },
  restoreSessions: {
    head: ['calledAt'],
    each: [
      'now',
      'session',
      'scope',
      'respondent',
      'device',
      'address',
      'prefix',
      'source',
      'deviceClass',
      'addressShared',
      'host',
      'token',
      'sketch',
      'index',
    ],
  },
  findProbe: { head: ['now', 'session'], each: [] },
  wereScored: { head: [], each: ['session'] },
  readReceipt: { head: ['receiptId'], each: [] },
  releaseReceipts: { head: [], each: ['receiptId'] },
  storeProbe: {
    head: ['now', 'session', 'nonce', 'phase', 'seq', 'content', 'device', 'sketch', 'index', 'indicators'],
    each: [],
  },
  takeRate: { head: ['limits', 'calls'], each: limitFields },
  checkComplete: { head: ['now'], each: [] },
  claimRebuild: { head: ['owner', 'renewal'], each: [] },
  noteRebuilt: { head: ['owner', 'downTo'], each: [] },
  markComplete: { head: ['now', 'owner'], each: [] },
  publishHistory: { head: [], each: ['subject', 'version', 'value'] },
} as const satisfies Readonly<Record<string, { readonly head: readonly string[]; readonly each: readonly string[] }>>;

export type ScriptName = keyof typeof argumentLayouts;
type Head<Name extends ScriptName> = Readonly<Record<(typeof argumentLayouts)[Name]['head'][number], Argument>>;
export type Item<Name extends ScriptName> = Readonly<Record<(typeof argumentLayouts)[Name]['each'][number], Argument>>;

/** The values in the order that the script expects. */
export function layOut<Name extends ScriptName>(
  script: Name,
  head: Head<Name>,
  items: readonly Item<Name>[] = [],
): Argument[] {
  const layout: { readonly head: readonly string[]; readonly each: readonly string[] } = argumentLayouts[script];
  const ordered: Argument[] = [];
  const take = (names: readonly string[], values: Readonly<Record<string, Argument>>): void => {
    for (const name of names) ordered.push(values[name] as Argument);
  };
  take(layout.head, head);
  for (const item of items) take(layout.each, item);
  return ordered;
}

/** The numbers for names in scripts: ARGV[argument.x] of the head, ARGV[before + item.x] of an item, with before = heads, heads + stride, ... */
export function layoutPlaces(script: ScriptName): Readonly<Record<string, number>> {
  const { head, each }: { readonly head: readonly string[]; readonly each: readonly string[] } =
    argumentLayouts[script];
  const placesOf = (table: string, names: readonly string[]): [string, number][] =>
    names.map((name, index) => [`${table}.${name}`, index + 1]);
  return {
    ...Object.fromEntries([...placesOf('argument', head), ...placesOf('item', each)]),
    heads: head.length,
    stride: each.length,
  };
}

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
