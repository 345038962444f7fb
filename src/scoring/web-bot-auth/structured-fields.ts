/**
 * The part of Structured Fields (RFC 9651) that signature headers are written in: dictionaries of items and inner lists whose values are
 * strings, integers, booleans, tokens and byte sequences. Stricter than the RFC where leniency would let two texts pass for one
 * signature: repeated keys, base64 that is not canonical, and other types are refused. A text that does not parse is null; nothing is thrown.
 */

export class Token {
  constructor(readonly text: string) {}
}

export type BareItem = string | number | boolean | Token | Buffer;
export type Parameters = ReadonlyMap<string, BareItem>;

export interface Item {
  readonly value: BareItem;
  readonly parameters: Parameters;
}

export interface InnerList {
  readonly items: readonly Item[];
  readonly parameters: Parameters;
}

export type Dictionary = ReadonlyMap<string, Item | InnerList>;

/** A reading position; `take` advances over what a sticky pattern matches. */
interface Cursor {
  readonly done: () => boolean;
  readonly take: (pattern: RegExp) => RegExpExecArray | null;
}

class Malformed extends Error {}

const keyForm = /[a-z*][a-z0-9_.*-]*/y;
const stringForm = /"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y;
const integerForm = /-?[0-9]{1,15}(?![0-9.])/y;
const tokenForm = /[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*/y;
const bytesForm = /:([A-Za-z0-9+/]*={0,2}):/y;
const booleanForm = /\?([01])/y;

/** Reads a header that is a dictionary; null where it is not one. */
export function parseDictionary(text: string): Dictionary | null {
  try {
    return readDictionary(openCursor(text.replace(/^ +| +$/g, '')));
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

export function isInnerList(member: Item | InnerList): member is InnerList {
  return 'items' in member;
}

function openCursor(text: string): Cursor {
  let at = 0;
  return {
    done: () => at >= text.length,
    take(pattern) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match !== null) at = pattern.lastIndex;
      return match;
    },
  };
}

function expect(cursor: Cursor, pattern: RegExp): RegExpExecArray {
  const match = cursor.take(pattern);
  if (match === null) throw new Malformed();
  return match;
}

function readDictionary(cursor: Cursor): Dictionary {
  const members = new Map<string, Item | InnerList>();
  if (cursor.done()) return members;
  for (;;) {
    const [key] = expect(cursor, keyForm);
    if (members.has(key)) throw new Malformed();
    members.set(
      key,
      cursor.take(/=/y) === null ? { value: true, parameters: readParameters(cursor) } : readMember(cursor),
    );
    if (cursor.done()) return members;
    expect(cursor, /[ \t]*,[ \t]*/y);
  }
}

function readMember(cursor: Cursor): Item | InnerList {
  if (cursor.take(/\(/y) === null) return readItem(cursor);
  const items: Item[] = [];
  cursor.take(/ +/y);
  while (cursor.take(/\)/y) === null) {
    items.push(readItem(cursor));
    expect(cursor, / +|(?=\))/y);
  }
  return { items, parameters: readParameters(cursor) };
}

function readItem(cursor: Cursor): Item {
  return { value: readBareItem(cursor), parameters: readParameters(cursor) };
}

function readParameters(cursor: Cursor): Parameters {
  const parameters = new Map<string, BareItem>();
  while (cursor.take(/; */y) !== null) {
    const [key] = expect(cursor, keyForm);
    if (parameters.has(key)) throw new Malformed();
    parameters.set(key, cursor.take(/=/y) === null ? true : readBareItem(cursor));
  }
  return parameters;
}

function readBareItem(cursor: Cursor): BareItem {
  const string = cursor.take(stringForm);
  if (string !== null) return (string[1] ?? '').replace(/\\(["\\])/g, '$1');
  const bytes = cursor.take(bytesForm);
  if (bytes !== null) return readBytes(bytes[1] ?? '');
  const integer = cursor.take(integerForm);
  if (integer !== null) return Number(integer[0]);
  const boolean = cursor.take(booleanForm);
  if (boolean !== null) return boolean[1] === '1';
  return new Token(expect(cursor, tokenForm)[0]);
}

function readBytes(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) throw new Malformed();
  return bytes;
}

/** The canonical text of an inner list, as it is signed. */
export function serializeInnerList({ items, parameters }: InnerList): string {
  return `(${items.map(serializeItem).join(' ')})${serializeParameters(parameters)}`;
}

export function serializeItem({ value, parameters }: Item): string {
  return serializeBareItem(value) + serializeParameters(parameters);
}

function serializeParameters(parameters: Parameters): string {
  return [...parameters]
    .map(([key, value]) => (value === true ? `;${key}` : `;${key}=${serializeBareItem(value)}`))
    .join('');
}

function serializeBareItem(value: BareItem): string {
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? '?1' : '?0';
  return value instanceof Token ? value.text : `:${value.toString('base64')}:`;
}
