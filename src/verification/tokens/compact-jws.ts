/**
 * The compact form of a signed token (RFC 7515), taken apart strictly: three parts of base64url without padding, each in its one canonical
 * spelling, header and payload JSON objects. Nothing in it is believed by being read.
 */
import { Buffer } from 'node:buffer';
import { tokenLengthMax } from '../../contract/token.js';

export interface CompactJws {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  /** What the signature is over. */
  readonly signed: string;
  readonly signature: Buffer;
}

const partForm = /^[A-Za-z0-9_-]+$/;

/** null where the text is no token at all. */
export function readCompactJws(text: string): CompactJws | null {
  if (text.length > tokenLengthMax) return null;
  const [head = '', body = '', tail = '', ...rest] = text.split('.');
  if (rest.length > 0 || ![head, body, tail].every((part) => partForm.test(part))) return null;
  const signature = Buffer.from(tail, 'base64url');
  const header = readObject(head);
  const payload = readObject(body);
  if (header === null || payload === null || signature.toString('base64url') !== tail) return null;
  return { header, payload, signed: `${head}.${body}`, signature };
}

export const writePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function readObject(part: string): Readonly<Record<string, unknown>> | null {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) return null;
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
