/**
 * Parses the compact form of a signed token (RFC 7515) strictly: three parts of base64url without padding, each in its canonical form,
 * header and payload JSON objects. Reading verifies nothing.
 */
import { Buffer, isUtf8 } from 'node:buffer';
import { LRUCache } from 'lru-cache';
import { tokenLengthMax } from '../../contract/token.js';

export interface CompactJws {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The signature covers this text. */
  readonly signed: string;
  readonly signature: Buffer;
}

const partForm = /^[A-Za-z0-9_-]+$/;
/** Characters that may end a part whose last group has two or three of them: the bits that no byte takes are 0. */
const endsOfTwo = 'AQgw';
const endsOfThree = 'AEIMQUYcgkosw048';

/** Headers that were read before: a service meets few, and most texts begin with one of its own. */
const headers = new LRUCache<string, Readonly<Record<string, unknown>>>({ max: 256 });
/** Longer ones are read each time. */
const keptLengthMax = 256;

/** null where the text is no token at all. */
export function readCompactJws(text: string): CompactJws | null {
  if (text.length > tokenLengthMax) return null;
  const [head = '', body = '', tail = '', ...rest] = text.split('.');
  if (rest.length > 0 || !isCanonical(body) || !isCanonical(tail)) return null;
  const header = readHeader(head);
  const payload = readObject(body);
  if (header === null || payload === null) return null;
  return { header, payload, signed: text.slice(0, head.length + 1 + body.length), signature: bytesOf(tail) };
}

export const writePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function readHeader(part: string): Readonly<Record<string, unknown>> | null {
  const known = headers.get(part);
  if (known !== undefined) return known;
  const header = isCanonical(part) ? readObject(part) : null;
  if (header !== null && part.length <= keptLengthMax) headers.set(part, Object.freeze(header));
  return header;
}

/** Whether no other text stands for the same bytes. */
function isCanonical(part: string): boolean {
  if (!partForm.test(part)) return false;
  const end = part.charAt(part.length - 1);
  switch (part.length % 4) {
    case 2:
      return endsOfTwo.includes(end);
    case 3:
      return endsOfThree.includes(end);
    default:
      return part.length % 4 === 0;
  }
}

const bytesOf = (part: string): Buffer => Buffer.from(part, 'base64url');

/** Reads a canonical part. */
function readObject(part: string): Readonly<Record<string, unknown>> | null {
  const bytes = bytesOf(part);
  if (!isUtf8(bytes)) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
