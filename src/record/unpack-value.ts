/**
 * Reads what `packValue` wrote. Fields that the layout does not know yet are passed over. Throws for bytes that end early or make no sense;
 * reads nothing beyond them.
 */
import { toHex, toHexPair } from '../contract/hash.js';
import { againFrom, depthMax, idPrefixesInOrder, tags } from './tags.js';
import type { Parts } from './parts.js';
import type { Layout, Shape } from './shapes.js';
import { words, wordsOfOneByte } from './words.js';

interface Input {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;
  /** Long texts of this part so far. */
  readonly texts: string[];
}

type Fields = Record<string, unknown>;

const damaged = (): Error => new Error('the bytes of a record make no sense');

/** The part of this number; undefined where it is empty or not there. */
export function unpackPart(layout: Layout, { bytes, bounds }: Parts, index: number): unknown {
  const [from = 0, to = 0] = bounds[index] ?? [];
  if (from === to) return undefined;
  const input: Input = { bytes, at: from, end: to, texts: [] };
  const value = readValue(input, layout, 0);
  if (input.at !== to) throw damaged();
  return value;
}

function readValue(input: Input, layout: Layout, depth: number): unknown {
  const tag = take(input);
  if (tag < tags.integersEnd) return tag;
  if (tag < tags.wordsEnd) return wordAt(tag - tags.words, wordsOfOneByte);
  if (tag >= tags.shortText) return readText(input, tag - tags.shortText);
  return readTagged(input, tag, layout, depth);
}

function readTagged(input: Input, tag: number, layout: Layout, depth: number): unknown {
  switch (tag) {
    case tags.null:
      return null;
    case tags.false:
      return false;
    case tags.true:
      return true;
    case tags.absent:
      return undefined;
    case tags.positive:
      return readVarint(input);
    case tags.negative:
      return -readVarint(input);
    case tags.tenths:
      return readParts(input, 10);
    case tags.hundredths:
      return readParts(input, 100);
    case tags.thousandths:
      return readParts(input, 1_000);
    case tags.double:
      return input.bytes.readDoubleBE(skip(input, 8));
    case tags.bytes:
      return readBytes(input);
    case tags.list:
      return readList(input, layout, depth + 1);
    case tags.map:
      return readPairs(input, {}, depth + 1);
    case tags.shaped:
    case tags.shapedAndMore:
      return readShaped(input, tag, layout, depth + 1);
    default:
      return readTextual(input, tag);
  }
}

function readTextual(input: Input, tag: number): string {
  switch (tag) {
    case tags.word:
      return wordAt(wordsOfOneByte + take(input), words.length);
    case tags.again:
      return input.texts[take(input)] ?? fail();
    case tags.text:
      return readText(input, readVarint(input));
    case tags.hex4:
      return toHex(input.bytes.readUInt32BE(skip(input, 4)));
    case tags.hex8:
      return readReference(input);
    case tags.hex16:
      return readDigits(input, 16);
    case tags.id:
      return (idPrefixesInOrder[take(input)] ?? fail()) + readDigits(input, 16);
    default:
      throw damaged();
  }
}

function readShaped(input: Input, tag: number, layout: Layout, depth: number): Fields {
  if (layout?.kind !== 'shape' || depth > depthMax) throw damaged();
  const { names, inner }: Shape = layout;
  const count = take(input);
  const fields: Fields = {};
  for (let place = 0; place < count; place += 1) {
    const value = readValue(input, inner[place] ?? null, depth);
    const name = names[place];
    if (name !== undefined && value !== undefined) fields[name] = value;
  }
  return tag === tags.shaped ? fields : readPairs(input, fields, depth);
}

function readPairs(input: Input, fields: Fields, depth: number): Fields {
  if (depth > depthMax) throw damaged();
  for (let left = readCount(input); left > 0; left -= 1) {
    const name = readValue(input, null, depth);
    if (typeof name !== 'string') throw damaged();
    const value = readValue(input, null, depth);
    // A name like __proto__ is a property of its own, as a parser of JSON makes it.
    if (value !== undefined)
      Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
  }
  return fields;
}

function readList(input: Input, layout: Layout, depth: number): unknown[] {
  if (depth > depthMax) throw damaged();
  const item = layout?.kind === 'list' ? layout.item : null;
  const values: unknown[] = [];
  for (let left = readCount(input); left > 0; left -= 1) values.push(readValue(input, item, depth));
  return values;
}

/** A copy, so that nobody keeps the whole record for it. */
function readBytes(input: Input): Uint8Array {
  const size = readVarint(input);
  const start = skip(input, size);
  return new Uint8Array(input.bytes.subarray(start, start + size));
}

function readText(input: Input, size: number): string {
  const start = skip(input, size);
  const text = input.bytes.toString('utf8', start, start + size);
  if (text.length >= againFrom) input.texts.push(text);
  return text;
}

function readDigits(input: Input, size: number): string {
  const start = skip(input, size);
  return input.bytes.toString('hex', start, start + size);
}

/** Sixteen digits, as most references are. */
function readReference(input: Input): string {
  const at = skip(input, 8);
  return toHexPair(input.bytes.readUInt32BE(at), input.bytes.readUInt32BE(at + 4));
}

function readParts(input: Input, parts: number): number {
  const value = readVarint(input);
  const whole = Math.floor(value / 2);
  return (value % 2 === 0 ? whole : -whole) / parts;
}

/** Of values that take a byte each at the least. */
function readCount(input: Input): number {
  const count = readVarint(input);
  if (count > input.end - input.at) throw damaged();
  return count;
}

function readVarint(input: Input): number {
  let value = 0;
  for (let weight = 1; weight <= Number.MAX_SAFE_INTEGER; weight *= 0x80) {
    const byte = take(input);
    value += (byte % 0x80) * weight;
    if (byte < 0x80) return value;
  }
  throw damaged();
}

const wordAt = (place: number, end: number): string => (place < end ? words[place] : undefined) ?? fail();

function take(input: Input): number {
  const { at } = input;
  if (at >= input.end) throw damaged();
  input.at = at + 1;
  return input.bytes[at] ?? 0;
}

/** Passes over so many bytes; returns where they began. */
function skip(input: Input, size: number): number {
  const start = input.at;
  if (size > input.end - start) throw damaged();
  input.at = start + size;
  return start;
}

function fail(): never {
  throw damaged();
}
