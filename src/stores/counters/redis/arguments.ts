/**
 * The arguments of every script by their names, in order, and how each is written; the loader inlines the positions, so that neither side counts them. They
 * are strings, '' for null; sketches are packed by the caller. Pure.
 */
import { Packr } from 'msgpackr';
import type { DeviceSketch } from '../../../contract/facts.js';
import { bounds, locateTerms, rateKeyOf } from '../bounds.js';
import type {
  CountedSession,
  HistoryRecord,
  HistoryValue,
  MovementInput,
  ProbeStoreInput,
  RateLimit,
  ScoreCountInput,
} from '../port.js';
import { splitNamespace, type Namespace } from '../namespace.js';
import { packSketch } from './sketch-bytes.js';

export type Argument = string | number | Buffer;

type Writers<T> = Readonly<Record<string, (of: T) => Argument>>;

interface Layout<Head, Item> {
  readonly heads: readonly string[];
  readonly eaches: readonly string[];
  /** The values in the order that the script expects. */
  write(head: Head, items?: readonly Item[]): Argument[];
}

/** The arguments of one script, by their names in it: `head` comes once; `each` once for every item after it. */
function layOut<Head, Item = never>(head: Writers<Head>, each: Writers<Item> = {}): Layout<Head, Item> {
  const [ofHead, ofItem] = [Object.values(head), Object.values(each)];
  return {
    heads: Object.keys(head),
    eaches: Object.keys(each),
    write: (values, items = []) => {
      const ordered: Argument[] = [];
      for (const write of ofHead) ordered.push(write(values));
      for (const item of items) for (const write of ofItem) ordered.push(write(item));
      return ordered;
    },
  };
}

const packr = new Packr({ useRecords: false });

/** In a window of the limit at a time. */
interface LimitAt {
  readonly limit: RateLimit;
  readonly atMs: number;
}

const limitAt: Writers<LimitAt> = {
  key: ({ limit, atMs }) => rateKeyOf(limit, atMs),
  limit: ({ limit }) => limit.limit,
  windowMs: ({ limit }) => limit.windowSeconds * 1_000,
};

/** Names a session, in a request or restored. */
const identified: Writers<Omit<CountedSession, 'token' | 'sketch' | 'bands'>> = {
  now: ({ nowMs }) => formatTimestamp(nowMs),
  session: ({ session }) => refOf(session),
  scope: ({ scope }) => scope,
  respondent: ({ respondent }) => refOf(respondent),
  device: ({ device }) => refOf(device),
  address: ({ address }) => address,
  prefix: ({ prefix }) => prefix,
  source: ({ source }) => source ?? '',
  deviceClass: ({ deviceClass }) => plainOf(deviceClass),
  addressShared: ({ addressShared }) => (addressShared ? '1' : ''),
  host: ({ host }) => refOf(host),
};

const receiptOf = { receiptId: (receiptId: string) => receiptId };
const owned = { owner: ({ owner }: { readonly owner: string }) => owner };

export const layouts = {
  countScore: layOut<ScoreCountInput, LimitAt>(
    {
      ...identified,
      fingerprint: ({ fingerprint }) => fingerprint,
      idempotency: ({ idempotency }) => idempotency ?? '',
      receiptId: ({ receiptId }) => receiptId,
      gone: ({ gone }) => gone ?? '',
      content: ({ content }) => bytesOf(content),
      signature: ({ signature }) => signature ?? '',
      history: ({ history: { respondent, source, subSource, range = '-', network = '-', study = '-' } }) =>
        `${respondent ?? '-'} ${source ?? '-'} ${subSource ?? '-'} ${range} ${network} ${study}`,
      limits: ({ limits }) => limits.length,
    },
    limitAt,
  ),
  restoreSessions: layOut<number, CountedSession>(
    { calledAt: formatTimestamp },
    {
      ...identified,
      token: ({ token }) => refOf(token),
      sketch: ({ sketch }) => (sketch === null ? '' : packSketch(sketch)),
      index: packIndex,
    },
  ),
  findProbe: layOut<{ readonly nowMs: number; readonly session: string }>({
    now: ({ nowMs }) => formatTimestamp(nowMs),
    session: ({ session }) => session,
  }),
  wereScored: layOut<null, string>({}, { session: (session) => session }),
  readReceipt: layOut<string>(receiptOf),
  releaseReceipts: layOut<null, string>({}, receiptOf),
  storeProbe: layOut<ProbeStoreInput>({
    now: ({ nowMs }) => nowMs,
    session: ({ session }) => refOf(session),
    nonce: ({ nonce }) => nonce,
    phase: ({ phase }) => phase,
    seq: ({ seq }) => seq,
    content: ({ content }) => bytesOf(content),
    device: ({ phase, device }) => (phase === 'update' ? '' : refOf(device)),
    sketch: ({ phase, sketch }) => (phase === 'update' || sketch === null ? '' : packSketch(sketch)),
    index: (input) => (input.phase === 'update' ? '' : packIndex(input)),
    indicators: ({ indicators }) => packr.pack(indicators),
  }),
  noteMovement: layOut<MovementInput, string>(
    { now: ({ nowMs }) => formatTimestamp(nowMs), session: ({ session }) => refOf(session) },
    { mark: (mark) => mark },
  ),
  takeRate: layOut<{ readonly limits: number; readonly calls: number }, LimitAt>(
    { limits: ({ limits }) => limits, calls: ({ calls }) => calls },
    limitAt,
  ),
  checkComplete: layOut<number>({ now: formatTimestamp }),
  claimRebuild: layOut<{ readonly owner: string; readonly isRenewal: boolean }>({
    ...owned,
    renewal: ({ isRenewal }) => (isRenewal ? '1' : ''),
  }),
  noteRebuilt: layOut<{ readonly owner: string; readonly downTo: string }>({
    ...owned,
    downTo: ({ downTo }) => downTo,
  }),
  markComplete: layOut<{ readonly owner: string; readonly nowMs: number }>({
    now: ({ nowMs }) => formatTimestamp(nowMs),
    ...owned,
  }),
  publishHistory: layOut<null, HistoryRecord>(
    {},
    {
      subject: ({ subject }) => subject,
      version: ({ version }) => version,
      value: ({ value }) => historyText(value),
    },
  ),
} as const;

export type ScriptName = keyof typeof layouts;

/** Each in its window at a time. */
export const limitsAt = (limits: readonly RateLimit[], atMs: number): LimitAt[] =>
  limits.map((limit) => ({ limit, atMs }));

/** The numbers for names in scripts: ARGV[argument.x] of the head, ARGV[before + item.x] of an item, with before = heads, heads + stride, ... */
export function layoutPlaces(script: ScriptName): Readonly<Record<string, number>> {
  const { heads, eaches } = layouts[script];
  const placesOf = (table: string, names: readonly string[]): [string, number][] =>
    names.map((name, index) => [`${table}.${name}`, index + 1]);
  return {
    ...Object.fromEntries([...placesOf('argument', heads), ...placesOf('item', eaches)]),
    heads: heads.length,
    stride: eaches.length,
  };
}

/** One project’s keys live in one slot: the braces make its id the hash tag. Those of a mode other than the live one begin with its name. */
export function tagOf(namespace: Namespace): string {
  const { holder, mode } = splitNamespace(namespace);
  return mode === '' ? `{${holder}}:` : `{${holder}}:~${mode}:`;
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
function formatTimestamp(nowMs: number): string {
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
