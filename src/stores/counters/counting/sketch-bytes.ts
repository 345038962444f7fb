/**
 * A sketch as stored: msgpack of its terms (hashes as bytes, nil if not measured), system family, browser and major version. A score reads
 * one for each candidate, so the usual forms are read here, others by the library.
 */
import { Packr, Unpackr } from 'msgpackr';
import type { DeviceSketch } from '../../../contract/facts.js';
import { toHex } from '../../../contract/hash.js';

type Stored = [terms: (string | Uint8Array | null)[], os: string | null, browser: string | null, major: number | null];

const packr = new Packr({ useRecords: false });
const unpackr = new Unpackr({ useRecords: false });

/** The msgpack tags that are read here. */
const tags = { listOfFour: 0x94, shortList: 0x90, longList: 0xdc, nil: 0xc0, bytes: 0xc4, shortText: 0xa0 } as const;
const integersEnd = 0x80;
const uint8 = 0xcc;
const termBytes = 4;

/** Hashes in hex take half the room as bytes; they are the bulk of what a session is remembered by. */
export function packSketch({ terms, osFamily, browser, browserMajor }: DeviceSketch): Buffer {
  return packr.pack([
    terms.map((term) => (term !== null && /^(?:[0-9a-f]{2}){4,32}$/.test(term) ? Buffer.from(term, 'hex') : term)),
    osFamily,
    browser,
    browserMajor,
  ] satisfies Stored);
}

/** The sketch in these bytes of a record; null where there are none. */
export function readSketch(record: Buffer, from: number, to: number): DeviceSketch | null {
  return from === to ? null : (readUsual(record, from, to) ?? readAny(record.subarray(from, to)));
}

/** null where it is made of anything but hashes of four bytes, nils, short texts and a version below 256. */
function readUsual(record: Buffer, from: number, to: number): DeviceSketch | null {
  const count = lengthOf(record, from);
  if (record[from] !== tags.listOfFour || count < 0) return null;
  const terms = new Array<string | null>(count);
  let at = from + (record[from + 1] === tags.longList ? 4 : 2);
  for (let index = 0; index < count; index += 1) {
    const tag = record[at];
    if (tag === tags.nil) {
      terms[index] = null;
      at += 1;
    } else if (tag === tags.bytes && record[at + 1] === termBytes && at + 2 + termBytes <= to) {
      terms[index] = toHex(record.readUInt32BE(at + 2));
      at += 2 + termBytes;
    } else return null;
  }
  const browserAt = endOfText(record, at);
  const majorAt = endOfText(record, browserAt);
  if (majorAt < 0) return null;
  const tag = record[majorAt] ?? 0;
  const major = tag === uint8 ? (record[majorAt + 1] ?? 0) : tag;
  if (tag >= integersEnd && tag !== uint8 && tag !== tags.nil) return null;
  const [osFamily, browser] = [textBetween(record, at, browserAt), textBetween(record, browserAt, majorAt)];
  return { terms, osFamily, browser, browserMajor: tag === tags.nil ? null : major };
}

/** How many terms there are; -1 where no list of them begins. */
function lengthOf(record: Buffer, from: number): number {
  const tag = record[from + 1] ?? 0;
  if (tag === tags.longList) return record.readUInt16BE(from + 2);
  return (tag & 0xf0) === tags.shortList ? tag & 0x0f : -1;
}

/** The end of a short text, or nil, that begins here; -1 if it is neither. */
function endOfText(record: Buffer, at: number): number {
  const tag = at < 0 ? undefined : record[at];
  if (tag === tags.nil) return at + 1;
  return tag !== undefined && (tag & 0xe0) === tags.shortText ? at + 1 + (tag & 0x1f) : -1;
}

const textBetween = (record: Buffer, at: number, end: number): string | null =>
  record[at] === tags.nil ? null : record.toString('utf8', at + 1, end);

function readAny(packed: Buffer): DeviceSketch {
  const [terms, osFamily, browser, browserMajor] = unpackr.unpack(packed) as Stored;
  return {
    terms: terms.map((term) => (term instanceof Uint8Array ? Buffer.from(term).toString('hex') : term)),
    osFamily,
    browser,
    browserMajor,
  };
}
