/**
 * Packs parts of a record: msgpack values one after another, in which the fields of a layout stand by position instead of by name. A field that
 * is absent is not null. An object with a field that its layout does not know is packed with names, so that nothing is lost.
 *
 *   format · part · part ...
 */
import { FLOAT32_OPTIONS, Packr } from 'msgpackr';
import { toHex } from '../contract/hash.js';
import { words } from './words.js';

const packr = new Packr({ useRecords: false, useFloat32: FLOAT32_OPTIONS.DECIMAL_FIT });

/** The first value of everything packed here. */
const format = 1;
export const start: Uint8Array = Uint8Array.of(format);

type Fields = Record<string, unknown>;

/** A shorter form of a value. What has none is packed as it is. */
export interface Layout {
  encode(value: unknown): unknown;
  decode(packed: unknown): unknown;
}

export const packPart = (layout: Layout, value: unknown): Uint8Array => packr.pack(layout.encode(value));

/** `before`, and packed parts behind it. */
export function appendParts(before: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  let size = before.length;
  for (const part of parts) size += part.length;
  const joined = new Uint8Array(size);
  joined.set(before);
  let at = before.length;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** The parts, for their layouts. Throws for another format, and for bytes that end early. */
export function readParts(packed: Uint8Array): readonly unknown[] {
  const [first, ...parts] = packr.unpackMultiple(packed) as readonly unknown[];
  if (first !== format) throw new Error('the bytes are no record of a known format');
  return parts;
}

/** Fields in this order. They are only ever added, at the end: a reader that does not know them passes over them. `left`: fields that are packed elsewhere. */
export function shape(
  fieldNames: string,
  inner: Readonly<Record<string, Layout>> = {},
  left: readonly string[] = [],
): Layout {
  const names = fieldNames.split(' ');
  const layouts = names.map((name) => inner[name]);
  const byName = new Map(Object.entries(inner));
  return {
    encode(value) {
      if (typeof value !== 'object' || value === null) return value;
      if (Array.isArray(value)) throw new Error('a record holds a list where its layout has fields');
      const fields = value as Fields;
      const values: unknown[] = [];
      let known = 0;
      for (let place = 0; place < names.length; place += 1) {
        const field = fields[names[place] ?? ''];
        if (field === undefined) continue;
        known += 1;
        while (values.length < place) values.push(undefined);
        values.push(layouts[place]?.encode(field) ?? field);
      }
      for (const name of left) if (fields[name] !== undefined) known += 1;
      return countFields(fields) === known
        ? values
        : mapFields(fields, (name, value) =>
            left.includes(name) ? undefined : (byName.get(name)?.encode(value) ?? value),
          );
    },
    decode(packed) {
      if (typeof packed !== 'object' || packed === null) return packed;
      if (!Array.isArray(packed))
        return mapFields(packed as Fields, (name, value) => byName.get(name)?.decode(value) ?? value);
      const fields: Fields = {};
      for (let place = 0; place < names.length && place < packed.length; place += 1) {
        const value: unknown = packed[place];
        const layout = layouts[place];
        if (value !== undefined) fields[names[place] ?? ''] = layout === undefined ? value : layout.decode(value);
      }
      return fields;
    },
  };
}

function countFields(fields: Fields): number {
  let count = 0;
  for (const name in fields) if (fields[name] !== undefined) count += 1;
  return count;
}

/** Without those that become undefined. */
const mapFields = (fields: Fields, map: (name: string, value: unknown) => unknown): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]): [string, unknown] => [name, map(name, value)])
      .filter(([, value]) => value !== undefined),
  );

export const plain: Layout = { encode: (value) => value, decode: (packed) => packed };

export const listOf = (item: Layout): Layout => ({
  encode: (value) => (Array.isArray(value) ? value.map((each) => item.encode(each)) : value),
  decode: (packed) => (Array.isArray(packed) ? packed.map((each) => item.decode(each)) : packed),
});

/** A text of the list of words, by its place there. */
export const word: Layout = {
  encode: (value) => (typeof value === 'string' ? (placeOfWord.get(value) ?? value) : value),
  decode: (packed) => (typeof packed === 'number' ? wordAt(packed) : packed),
};
const wordAt = (place: number): string => {
  const text = words[place];
  if (text === undefined) throw new Error('a record names a word that this version does not know');
  return text;
};
const placeOfWord = new Map(words.map((text, place) => [text, place]));

/** An identifier: 32 lower-case hexadecimal digits behind its prefix, as bytes. */
export function id(prefix: string): Layout {
  const pattern = new RegExp(`^${prefix}[0-9a-f]{32}$`);
  return {
    encode: (value) =>
      typeof value === 'string' && pattern.test(value) ? Buffer.from(value.slice(prefix.length), 'hex') : value,
    decode: (packed) => (packed instanceof Uint8Array ? prefix + Buffer.from(packed).toString('hex') : packed),
  };
}

/** Eight lower-case hexadecimal digits, as a number. */
export const hash: Layout = {
  encode(value) {
    if (typeof value !== 'string' || value.length !== 8) return value;
    const number = Number.parseInt(value, 16);
    return toHex(number) === value ? number : value;
  },
  decode: (packed) => (typeof packed === 'number' ? toHex(packed) : packed),
};
