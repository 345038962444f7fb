/**
 * Packs one value by its layout. Any value that JSON can say comes back as it was; a field that is undefined comes back as absent. Throws for
 * what no record holds: functions, whole numbers beyond those of a double, nesting without end.
 */
import { lengthBytes, writeLength } from './parts.js';
import { decimals, againFrom, depthMax, idPrefixesInOrder, tags } from './tags.js';
import type { Layout, Shape } from './shapes.js';
import { wordLengthMax, words, wordsOfOneByte } from './words.js';

const placeOfWord = new Map(words.map((word, place) => [word, place]));
const placeOfPrefix = new Map<string, number>(idPrefixesInOrder.map((prefix, place) => [prefix, place]));
const idDigits = 32;
const prefixLengthMax = 6;
/** Digits to values; 0xff for what is no lower-case hexadecimal digit. */
const valueOfDigit = new Uint8Array(128).fill(0xff);
for (let value = 0; value < 16; value += 1) valueOfDigit[value.toString(16).charCodeAt(0)] = value;

const shortTextMax = 31;
/** Above all that a value without a length of its own takes. */
const scalarMax = 32;
const startBytes = 16_384;
const keptMax = 1 << 20;
const noTexts: readonly string[] = [];

interface Output {
  bytes: Buffer;
  at: number;
  /** Long texts of this part, in their order. */
  texts: readonly string[];
}

/** The bytes that are written to are kept from one value to the next: making them costs more than filling them. */
let kept: Buffer = Buffer.allocUnsafeSlow(startBytes);

/** A part of a record; no layout: nothing, which is not null. */
export type Part = readonly [layout: Layout, value: unknown] | null;

/** `before`, and the parts behind it, each behind its length: see parts.ts. */
export function packParts(before: Uint8Array, parts: readonly Part[]): Uint8Array {
  const output = startOutput();
  reserve(output, before.length);
  output.bytes.set(before, 0);
  output.at = before.length;
  for (const part of parts) {
    reserve(output, lengthBytes);
    const start = (output.at += lengthBytes);
    if (part !== null) writeValue(output, part[0], part[1], 0);
    writeLength(output.bytes, start - lengthBytes, output.at - start);
    output.texts = noTexts;
  }
  return endOutput(output);
}

export function packValue(layout: Layout, value: unknown): Uint8Array {
  const output = startOutput();
  writeValue(output, layout, value, 0);
  return endOutput(output);
}

const startOutput = (): Output => ({ bytes: kept, at: 0, texts: noTexts });

function endOutput({ bytes, at }: Output): Uint8Array {
  if (bytes.length <= keptMax) kept = bytes;
  return new Uint8Array(bytes.subarray(0, at));
}

function writeValue(output: Output, layout: Layout, value: unknown, depth: number): void {
  reserve(output, scalarMax);
  switch (typeof value) {
    case 'string':
      return writeText(output, value);
    case 'number':
      return writeNumber(output, value);
    case 'boolean':
      return put(output, value ? tags.true : tags.false);
    case 'undefined':
      return put(output, tags.absent);
    case 'object':
      if (value === null) return put(output, tags.null);
      return writeObject(output, layout, value, depth + 1);
    default:
      throw new Error(`no record holds a ${typeof value}`);
  }
}

function writeObject(output: Output, layout: Layout, value: object, depth: number): void {
  if (depth > depthMax) throw new Error('a record is nested too deeply');
  if (value instanceof Uint8Array) return writeBytes(output, value);
  if (Array.isArray(value)) {
    put(output, tags.list);
    putVarint(output, value.length);
    const item = layout?.kind === 'list' ? layout.item : null;
    for (const each of value as readonly unknown[]) writeValue(output, item, each, depth);
    return;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  if (layout?.kind === 'shape') writeShaped(output, layout, fields, depth);
  else {
    put(output, tags.map);
    writePairs(output, Object.keys(fields), fields, depth);
  }
}

function writeShaped(
  output: Output,
  { names, inner, left }: Shape,
  fields: Readonly<Record<string, unknown>>,
  depth: number,
): void {
  let count = 0;
  let present = 0;
  for (let place = 0; place < names.length; place += 1) {
    if (fields[names[place] ?? ''] === undefined) continue;
    present += 1;
    count = place + 1;
  }
  for (const name of left) if (fields[name] !== undefined) present += 1;
  const keys = Object.keys(fields);
  const isStranger = (name: string): boolean =>
    fields[name] !== undefined && !names.includes(name) && !left.includes(name);
  const strangers = keys.length === present ? noTexts : keys.filter(isStranger);
  put(output, strangers.length === 0 ? tags.shaped : tags.shapedAndMore);
  put(output, count);
  for (let place = 0; place < count; place += 1)
    writeValue(output, inner[place] ?? null, fields[names[place] ?? ''], depth);
  if (strangers.length > 0) writePairs(output, strangers, fields, depth);
}

function writePairs(
  output: Output,
  names: readonly string[],
  fields: Readonly<Record<string, unknown>>,
  depth: number,
): void {
  putVarint(output, names.length);
  for (const name of names) {
    writeValue(output, null, name, depth);
    writeValue(output, null, fields[name], depth);
  }
}

function writeNumber(output: Output, value: number): void {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
    if (value >= 0 && value < tags.integersEnd) return put(output, value);
    put(output, value > 0 ? tags.positive : tags.negative);
    return putVarint(output, Math.abs(value));
  }
  for (const [tag, parts] of decimals) {
    const whole = Math.round(value * parts);
    if (whole / parts !== value || Math.abs(whole) > 0x3fffffff || whole === 0) continue;
    put(output, tag);
    return putVarint(output, Math.abs(whole) * 2 + (whole < 0 ? 1 : 0));
  }
  put(output, tags.double);
  output.at = output.bytes.writeDoubleBE(value, output.at);
}

function writeText(output: Output, text: string): void {
  const { length } = text;
  // No word is one of these, and looking for it would cost more.
  if ((length === 16 || length === 32 || length === 8) && writeDigits(output, text, 0)) return;
  if (length <= wordLengthMax) {
    const place = placeOfWord.get(text);
    if (place !== undefined) return writeWord(output, place);
  }
  if (length > idDigits && length <= idDigits + prefixLengthMax && writeId(output, text)) return;
  if (length >= againFrom) {
    const earlier = output.texts.indexOf(text);
    if (earlier >= 0 && earlier < 0x100) {
      put(output, tags.again);
      return put(output, earlier);
    }
    output.texts = [...output.texts, text];
  }
  if (length <= shortTextMax && writeShortText(output, text)) return;
  const size = Buffer.byteLength(text);
  put(output, tags.text);
  putVarint(output, size);
  reserve(output, size);
  output.at += output.bytes.write(text, output.at, 'utf8');
}

function writeWord(output: Output, place: number): void {
  if (place < wordsOfOneByte) return put(output, tags.words + place);
  put(output, tags.word);
  put(output, place - wordsOfOneByte);
}

/** Only where all of it is ASCII. */
function writeShortText(output: Output, text: string): boolean {
  const { bytes, at } = output;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) return false;
    bytes[at + 1 + index] = code;
  }
  bytes[at] = tags.shortText + text.length;
  output.at = at + 1 + text.length;
  return true;
}

function writeId(output: Output, text: string): boolean {
  const start = text.length - idDigits;
  const place = placeOfPrefix.get(text.slice(0, start));
  if (place === undefined) return false;
  const { bytes, at } = output;
  if (!fillDigits(bytes, at + 2, text, start)) return false;
  bytes[at] = tags.id;
  bytes[at + 1] = place;
  output.at = at + 2 + idDigits / 2;
  return true;
}

function writeDigits(output: Output, text: string, start: number): boolean {
  const { bytes, at } = output;
  if (!fillDigits(bytes, at + 1, text, start)) return false;
  const size = (text.length - start) / 2;
  if (size === 8) bytes[at] = tags.hex8;
  else bytes[at] = size === 4 ? tags.hex4 : tags.hex16;
  output.at = at + 1 + size;
  return true;
}

function fillDigits(bytes: Buffer, at: number, text: string, start: number): boolean {
  for (let index = start, to = at; index < text.length; index += 2, to += 1) {
    const high = valueOfDigit[text.charCodeAt(index)] ?? 0xff;
    const low = valueOfDigit[text.charCodeAt(index + 1)] ?? 0xff;
    if (high > 15 || low > 15) return false;
    bytes[to] = high * 16 + low;
  }
  return true;
}

function writeBytes(output: Output, value: Uint8Array): void {
  put(output, tags.bytes);
  putVarint(output, value.length);
  reserve(output, value.length);
  output.bytes.set(value, output.at);
  output.at += value.length;
}

function put(output: Output, byte: number): void {
  output.bytes[output.at] = byte;
  output.at += 1;
}

function putVarint(output: Output, value: number): void {
  let rest = value;
  while (rest > 0x7fffffff) {
    put(output, (rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  for (; rest >= 0x80; rest >>>= 7) put(output, (rest & 0x7f) | 0x80);
  put(output, rest);
}

function reserve(output: Output, more: number): void {
  if (output.at + more <= output.bytes.length) return;
  const grown = Buffer.allocUnsafeSlow(2 * (output.at + more));
  output.bytes.copy(grown, 0, 0, output.at);
  output.bytes = grown;
}
