/**
 * Probes by session: its page loads, the first heard of first. A message replaces one of its page and phase with a lower seq; one that said something against the
 * session which no message that is kept says as much stays next to its page. If there are too many, the least suspicious goes, of equals the youngest, and
 * never the first or the newest: clean pages that follow push nothing out. A nonce belongs to the session that used it first. Messages have numbers, by which
 * receipts name those that they were made of: these stay as long as the probe.
 */
import { Packr } from 'msgpackr';
import { bounds } from '../bounds.js';
import type { ProbeStoreInput, ProbeStoreResult, RiskIndicator, StoredProbe } from '../port.js';
import {
  bufferOf,
  bytesOf,
  packRef,
  packTime,
  timeAt,
  timeBytes,
  u16,
  u16At,
  u32,
  u32At,
  type Bytes,
} from './bytes.js';
import { nonceKeyOf, probeKeyOf } from './keys.js';
import { packSketch, readSketch } from './sketch-bytes.js';
import { Collected, payloadOf, versionBytes, type Ended, type Step } from './step.js';
import { packCells } from './terms.js';

interface Page {
  readonly nonce: string;
  /** Holds a message of that nonce which was replaced and stays. */
  readonly replaced: boolean;
  /** The page sent a load message; others wait for theirs. */
  readonly loaded: boolean;
  readonly loadSeq: number;
  readonly updateSeq: number;
  /** Numbers of messages; 0 where there is none. */
  readonly load: number;
  readonly update: number;
  readonly loadIndicators: readonly RiskIndicator[];
  readonly updateIndicators: readonly RiskIndicator[];
  readonly atMs: number;
  readonly device: string | null;
}

interface Message {
  readonly number: number;
  readonly content: Uint8Array;
  /** Only a load message has these. */
  readonly sketch: Uint8Array | null;
  readonly bands: readonly string[];
  readonly cells: Uint8Array;
}

export interface KeptProbe {
  readonly atMs: number;
  /** How many messages were kept so far. */
  readonly count: number;
  readonly pages: readonly Page[];
  readonly messages: readonly Message[];
  /** Messages up to this number are named by receipts. */
  readonly heldTo: number;
}

const packr = new Packr({ useRecords: false });
const lengthBytes = 4;
const heldBytes = 2;

type PageFields = readonly [
  ...named: [nonce: string, replaced: boolean, loaded: boolean, loadSeq: number, updateSeq: number],
  ...messages: [load: number, update: number, ofLoad: readonly RiskIndicator[], ofUpdate: readonly RiskIndicator[]],
  ...seen: [atMs: number, device: string | null],
];
type MessageFields = readonly [
  number,
  Uint8Array,
  sketch: Uint8Array | null,
  bands: readonly string[],
  cells: Uint8Array,
];
type Fields = readonly [atMs: number, count: number, PageFields[], MessageFields[]];

export function readProbe(value: Bytes | null | undefined): KeptProbe | null {
  const payload = payloadOf(value);
  if (payload.length <= lengthBytes) return null;
  const end = lengthBytes + u32At(payload, 0);
  const [atMs, count, pages, messages] = packr.unpack(bufferOf(payload.slice(lengthBytes, end))) as Fields;
  let heldTo = 0;
  for (let at = end; at < payload.length; at += heldBytes) heldTo = Math.max(heldTo, u16At(payload, at));
  return {
    atMs,
    count,
    heldTo,
    pages: pages.map(([nonce, replaced, loaded, loadSeq, updateSeq, load, update, ofLoad, ofUpdate, at, device]) => {
      const said = { loadIndicators: ofLoad, updateIndicators: ofUpdate };
      return { nonce, replaced, loaded, loadSeq, updateSeq, load, update, ...said, atMs: at, device };
    }),
    messages: messages.map(([number, content, sketch, bands, cells]) => ({ number, content, sketch, bands, cells })),
  };
}

function fieldsOf(page: Page): PageFields {
  const { nonce, replaced, loaded, loadSeq, updateSeq, load, update, atMs, device } = page;
  const { loadIndicators: ofLoad, updateIndicators: ofUpdate } = page;
  return [nonce, replaced, loaded, loadSeq, updateSeq, load, update, ofLoad, ofUpdate, atMs, device];
}

function packProbe({ atMs, count, pages, messages, heldTo }: KeptProbe): Bytes {
  const fields: Fields = [
    atMs,
    count,
    pages.map(fieldsOf),
    messages.map(({ number, content, sketch, bands, cells }) => [number, content, sketch, bands, cells] as const),
  ];
  const packed = bytesOf(packr.pack(fields));
  return u32(packed.length) + packed + (heldTo === 0 ? '' : u16(heldTo));
}

/** Names the messages of a receipt: the session, the load that the sketch is of, and load and update of each page. */
export interface ProbeNames {
  readonly session: string;
  readonly first: number;
  readonly pages: readonly (readonly [load: number, update: number])[];
}

export interface ScoredProbe {
  readonly names: ProbeNames;
  readonly device: string | null;
  /** Changes with every message kept. */
  readonly version: Bytes;
  readonly sketch: Bytes;
  readonly bands: readonly string[];
  readonly cells: Bytes;
  readonly kept: KeptProbe;
  /** The version of the stored value. */
  readonly stored: Bytes;
}

/** The probe for a score at that time; null if nothing of it is left. */
export function scoredProbe(session: string, value: Bytes | null | undefined, nowMs: number): ScoredProbe | null {
  const kept = readProbe(value);
  if (kept === null || nowMs - kept.atMs >= bounds.probeMs) return null;
  const pages = livePages(kept, nowMs);
  if (pages.length === 0) return null;
  const first = pages.find(({ load }) => load !== 0)?.load ?? 0;
  const message = kept.messages.find(({ number }) => number === first);
  return {
    names: { session, first, pages: pages.map(({ load, update }) => [load, update]) },
    device: pages.find(({ device }) => device !== null)?.device ?? null,
    version: u32(kept.count) + packTime(kept.atMs),
    sketch: message?.sketch == null ? '' : bytesOf(message.sketch),
    bands: message?.bands ?? [],
    cells: message === undefined ? '' : bytesOf(message.cells),
    kept,
    stored: (value ?? '').slice(0, versionBytes),
  };
}

/** The messages of these names, as far as they are still there. */
export function storedProbe(kept: KeptProbe | null, { first, pages }: ProbeNames, device: string | null): StoredProbe {
  const messageOf = (number: number): Message | undefined => kept?.messages.find((each) => each.number === number);
  // Copies: the contents are windows on all of the probe, which would travel along to a worker.
  const contentOf = (number: number): Uint8Array | null => {
    const message = messageOf(number);
    return message === undefined ? null : new Uint8Array(message.content);
  };
  return {
    pages: pages.map(([load, update]) => ({ load: contentOf(load), update: contentOf(update) })),
    device,
    // Read when they are asked for, which no score does.
    get sketch() {
      const sketch = messageOf(first)?.sketch;
      return sketch == null ? null : readSketch(Buffer.from(sketch), 0, sketch.length);
    },
    get bands() {
      return messageOf(first)?.bands ?? [];
    },
  };
}

/** Keeps what a receipt names for as long as the receipt. A message that came since may have taken the place of one: then the score starts again. */
export function holdProbe(writes: Collected, key: string, { kept: { count, heldTo }, stored }: ScoredProbe): void {
  const bytes = heldTo >= count ? '' : u16(count);
  writes.appends.push({ key, expected: stored, bytes, keepMs: bounds.heldMs, renews: true });
}

export function* findProbe(projectId: string, session: string, nowMs: number): Step<Ended<StoredProbe | null>> {
  const { values } = yield { keys: [probeKeyOf(projectId, session)] };
  const probe = scoredProbe(session, values[0], nowMs);
  return { result: probe && storedProbe(probe.kept, probe.names, probe.device), writes: null };
}

/** Keeps a message. */
export function* storeProbe(input: ProbeStoreInput): Step<Ended<ProbeStoreResult>> {
  const { projectId, session, nonce, phase, seq, nowMs } = input;
  const keys = { nonce: nonceKeyOf(projectId, nonce), probe: probeKeyOf(projectId, session) };
  const { values } = yield { keys: [keys.nonce, keys.probe] };
  const [usedBefore, before] = values;
  const owner = ownerOf(payloadOf(usedBefore), nowMs);
  if (owner !== null && owner !== packRef(session)) return { result: 'nonce_reused', writes: null };
  const found = readProbe(before);
  const known = found !== null && nowMs - found.atMs < bounds.probeMs ? found : null;
  const live = known === null ? [] : livePages(known, nowMs);
  const page = live.find((each) => each.nonce === nonce && !each.replaced);
  const isStale = page === undefined ? owner !== null : seq <= (phase === 'load' ? page.loadSeq : page.updateSeq);
  if (isStale) return { result: 'stale', writes: null };

  const count = (found?.count ?? 0) + 1;
  const pages = letGo(addMessage(live, page, input, count), (number) => lengthOf(known, number, input, count));
  const heldTo = found?.heldTo ?? 0;
  const named = new Set(pages.flatMap(({ load, update }) => [load, update]));
  const messages = [...(found?.messages ?? []), messageOf(input, count)].filter(
    ({ number }) => named.has(number) || number <= heldTo,
  );
  const writes = new Collected();
  const isOfLoad = phase === 'load' || (page?.load ?? 0) !== 0;
  const nonceMs = isOfLoad ? bounds.probeMs : bounds.updateMs;
  writes.claim(keys.nonce, usedBefore, packRef(session) + packTime(nowMs) + u32(nonceMs), nonceMs);
  const unheldMs = pages.some(({ loaded }) => loaded) ? bounds.probeMs : bounds.updateMs;
  const keepMs = heldTo > 0 ? bounds.heldMs : unheldMs;
  writes.claimWhole(keys.probe, before, packProbe({ atMs: nowMs, count, pages, messages, heldTo }), keepMs);
  return { result: 'stored', writes };
}

function ownerOf(used: Bytes, nowMs: number): Bytes | null {
  const atMs = used === '' ? 0 : timeAt(used, 8);
  return used === '' || nowMs - atMs >= u32At(used, 8 + timeBytes) ? null : used.slice(0, 8);
}

function messageOf({ phase, content, sketch, bands }: ProbeStoreInput, number: number): Message {
  if (phase === 'update') return { number, content, sketch: null, bands: [], cells: new Uint8Array() };
  const packed = sketch === null ? null : packSketch(sketch);
  return {
    number,
    content,
    sketch: packed,
    bands: bands.slice(0, bounds.bandsMax),
    cells: bufferOf(packCells(sketch)),
  };
}

/** Without those that wait for their load message in vain. */
const livePages = ({ pages }: KeptProbe, nowMs: number): readonly Page[] =>
  pages.filter(({ loaded, atMs }) => loaded || nowMs - atMs < bounds.updateMs);

function addMessage(
  pages: readonly Page[],
  page: Page | undefined,
  { nonce, phase, seq, device, indicators, nowMs }: ProbeStoreInput,
  number: number,
): readonly Page[] {
  const blank = blankPage(nonce, nowMs);
  const known = page ?? blank;
  const next: Page =
    phase === 'load'
      ? { ...known, loaded: true, loadSeq: seq, load: number, device, loadIndicators: indicators, atMs: nowMs }
      : { ...known, updateSeq: seq, update: number, updateIndicators: indicators, atMs: nowMs };
  const others = (page === undefined ? [...pages, next] : pages.map((each) => (each === page ? next : each))).map(
    (each) => (phase === 'load' && each.nonce === nonce ? { ...each, loaded: true } : each),
  );
  const replaced = page === undefined ? null : replacedBy(phase, page, blank);
  if (replaced === null || saysNothingNew(replaced, others)) return others;
  // Before the newest, and never the first: the device is known by that one.
  const place = Math.max(1, others.length - 1);
  return [...others.slice(0, place), replaced, ...others.slice(place)];
}

const blankPage = (nonce: string, nowMs: number): Page => ({
  nonce,
  replaced: false,
  loaded: false,
  loadSeq: -1,
  updateSeq: -1,
  load: 0,
  update: 0,
  loadIndicators: [],
  updateIndicators: [],
  atMs: nowMs,
  device: null,
});

/** The message whose place is taken, as a page of its own; null where there was none. */
function replacedBy(phase: ProbeStoreInput['phase'], page: Page, blank: Page): Page | null {
  const { load, update, updateIndicators, loaded, atMs } = page;
  if (phase === 'load')
    return load === 0
      ? null
      : { ...page, replaced: true, loaded: true, update: 0, updateSeq: -1, updateIndicators: [] };
  return update === 0 ? null : { ...blank, replaced: true, loaded, update, updateIndicators, atMs };
}

function saysNothingNew(replaced: Page, others: readonly Page[]): boolean {
  const known = others.flatMap(indicatorsOf);
  return indicatorsOf(replaced).every(([code, weight]) =>
    known.some((indicator) => indicator[0] === code && indicator[1] >= weight),
  );
}

const indicatorsOf = ({ loadIndicators, updateIndicators }: Page): readonly RiskIndicator[] => [
  ...loadIndicators,
  ...updateIndicators,
];

const suspicionOf = (page: Page | undefined): number =>
  page === undefined ? 0 : indicatorsOf(page).reduce((sum, [, weight]) => sum + weight, 0);

const lengthOf = (known: KeptProbe | null, number: number, { content }: ProbeStoreInput, newest: number): number =>
  number === newest ? content.length : (known?.messages.find((each) => each.number === number)?.content.length ?? 0);

/** Lets go of the least suspicious until the bounds are kept; the first and the last stay whatever they say. */
function letGo(pages: readonly Page[], lengthOfMessage: (number: number) => number): readonly Page[] {
  const kept = [...pages];
  const bytes = (): number =>
    kept.reduce((sum, { load, update }) => sum + lengthOfMessage(load) + lengthOfMessage(update), 0);
  while (kept.length > 2 && (kept.length > bounds.pagesMax || bytes() > bounds.pagesBytesMax)) {
    let least = 1;
    for (let at = 2; at < kept.length - 1; at += 1) if (suspicionOf(kept[at]) <= suspicionOf(kept[least])) least = at;
    kept.splice(least, 1);
  }
  return kept;
}
