/**
 * Values as one text of bytes: what is looked at seldom and kept by the hundred thousand. A tree of objects takes three to five times its memory
 * and is walked by every full collection; a text is one piece without references. msgpack without names, so that callers pack lists.
 */
import { Buffer } from 'node:buffer';
import { Packr } from 'msgpackr';

/** One character for each byte. */
export type Packed = string;

const packr = new Packr({ useRecords: false });

export const packed = (value: unknown): Packed => packr.pack(value).toString('latin1');

/** Byte strings in it are views on bytes that nobody else writes on. */
export const unpacked = (text: Packed): unknown => packr.unpack(Buffer.from(text, 'latin1')) as unknown;
