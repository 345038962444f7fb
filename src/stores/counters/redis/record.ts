/**
 * The record of one counted call as the script writes it: strings behind their lengths, namely the numbers (packed) and
 * the record of each candidate. The probe’s sketch, index and contents follow it in the reply.
 */
import { Unpackr } from 'msgpackr';
import type { DuplicateCandidate } from '../../../contract/facts.js';
import { sortCandidates } from '../bounds.js';
import { readFigures, readNeighborhood, readSource, type SourceList } from '../figures.js';
import { furtherSubjects, type CountRecord, type HistoryValue, type StoredHistory, type StoredProbe } from '../port.js';
import { readSketch } from './sketch-bytes.js';

type Measured = number | false;
type Terms = [total: number, counts: Measured[]];
type Probe = [device: string | false];
type Meta = [
  receiptId: string,
  device: string | false,
  signatureFresh: boolean,
  figures: Measured[],
  neighborhood: number[],
  candidates: [session: string, via: DuplicateCandidate['via']][],
  probe: Probe | false,
  complete: boolean,
  histories: (string | false)[],
  supersedes: string | false,
  source: SourceList | false,
  terms: Terms | false,
];

const unpackr = new Unpackr({ useRecords: false });

/** Strings one after another, each behind its length; read where they stand. */
interface Frame {
  readonly bytes: Buffer;
  /** Offsets at which strings begin and end. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const lengthBytes = 4;

/** Throws where a string ends early. */
export function readFrame(bytes: Buffer): Frame {
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const start = at + lengthBytes;
    at = start + bytes.readUInt32BE(at);
    starts.push(start);
    ends.push(at);
  }
  if ((ends.at(-1) ?? 0) > bytes.length) throw new Error('a record of the counters ends early');
  return { bytes, starts, ends };
}

/** A receipt is stored as what names its probe, its content, and then the record. */
const contentAt = 1;
const numbersAt = 2;

export const contentOf = (frame: Frame): Buffer => stringOf(frame, contentAt);

/** A window on the string of this number. */
const stringOf = ({ bytes, starts, ends }: Frame, index: number): Buffer =>
  bytes.subarray(startOf(starts, index), ends[index]);

function startOf(starts: Frame['starts'], index: number): number {
  const start = starts[index];
  if (start === undefined) throw new Error(`a record of the counters lacks part ${index}`);
  return start;
}

export function decodeRecord(frame: Frame, probeParts: readonly (Buffer | null)[]): CountRecord {
  const [
    receiptId,
    device,
    signatureFresh,
    figures,
    neighborhood,
    candidates,
    probe,
    complete,
    histories,
    supersedes,
    source,
    terms,
  ] = unpackr.unpack(stringOf(frame, numbersAt)) as Meta;
  return {
    receiptId,
    supersedes: orNull(supersedes),
    device: orNull(device),
    signatureFresh,
    complete,
    history: decodeHistories(histories),
    probe: probe === false ? null : decodeProbe(probe, probeParts),
    counts: {
      candidates: decodeCandidates(candidates, frame, numbersAt + 1),
      neighborhood: readNeighborhood(neighborhood),
      source: readSource(source),
      terms: terms === false ? null : { total: terms[0], counts: listOf(terms[1]).map(orNull) },
      // Spread last: spreading first is 80 times slower in V8.
      ...readFigures(figures),
    },
  };
}

/** In the order of the arguments; the device comes last. */
function decodeHistories([respondent, source, subSource, ...further]: Meta[8]): StoredHistory {
  const stored: { -readonly [Name in keyof StoredHistory]: StoredHistory[Name] } = {
    respondent: decodeHistory(respondent),
    source: decodeHistory(source),
    subSource: decodeHistory(subSource),
  };
  for (let at = 0; at < further.length; at += 1) {
    const value = decodeHistory(further[at]);
    if (value !== null) stored[furtherSubjects[at] ?? 'device'] = value;
  }
  return stored;
}

/** A history is "n fraud clawbacks asOfDay", then "age:sessions" of each that is young. */
function decodeHistory(text: string | false | undefined): HistoryValue | null {
  if (text === undefined || text === false) return null;
  const parts = text.split(' ');
  const [n = 0, fraud = 0, clawbacks = 0, asOfDay = 0] = parts.slice(0, 4).map(Number);
  const young = parts.slice(4).map((part): [number, number] => {
    const [ageDays = 0, sessions = 0] = part.split(':').map(Number);
    return [ageDays, sessions];
  });
  return { n, fraud, clawbacks, asOfDay, ...(young.length === 0 ? {} : { young }) };
}

/** How much of each limit had been used. */
export function decodeUsed(used: unknown): number[] {
  return Buffer.isBuffer(used) ? used.toString('latin1').split(' ').map(Number) : [];
}

export function decodeProbe([device]: Probe, parts: readonly (Buffer | null)[]): StoredProbe {
  const [sketch, index, ...contents] = parts;
  // Copies: the parts are windows on the socket’s buffer, all of which would travel along to a worker.
  const copy = (part: Buffer | null | undefined): Uint8Array | null => (part == null ? null : new Uint8Array(part));
  return {
    pages: Array.from({ length: contents.length / 2 }, (_, page) => ({
      load: copy(contents[2 * page]),
      update: copy(contents[2 * page + 1]),
    })),
    device: orNull(device),
    // Read when they are asked for, which no score does.
    get sketch() {
      return sketch == null ? null : readSketch(sketch, 0, sketch.length);
    },
    get bands() {
      return index == null || index.length === 0
        ? []
        : (unpackr.unpack(index) as [bands: string[], offsets: string[]])[0];
    },
  };
}

const bar = 0x7c;
const fieldsOfCandidate = 6;

/** A candidate’s record is "first scored|respondent|device|prefix,token,address|last linked|links|sketch"; only the sketch may hold a bar. Read where they stand, without lists of parts. */
function decodeCandidates(candidates: Meta[5], { bytes, starts, ends }: Frame, first: number): DuplicateCandidate[] {
  return sortCandidates(
    listOf(candidates).map(([session, via], i) => {
      const start = startOf(starts, first + i);
      const fieldsEnd = endOfFields(bytes, start);
      const text = bytes.toString('latin1', start, fieldsEnd);
      const scoredEnd = endOf(text, '|', 0, text.length);
      const respondentEnd = endOf(text, '|', scoredEnd + 1, text.length);
      const deviceEnd = endOf(text, '|', respondentEnd + 1, text.length);
      const placesEnd = endOf(text, '|', deviceEnd + 1, text.length);
      const prefixEnd = endOf(text, ',', deviceEnd + 1, placesEnd);
      const tokenEnd = endOf(text, ',', prefixEnd + 1, placesEnd);
      return {
        session,
        atMs: Number(text.slice(0, scoredEnd)),
        respondent: known(text.slice(scoredEnd + 1, respondentEnd)),
        device: known(text.slice(respondentEnd + 1, deviceEnd)),
        prefix: known(text.slice(deviceEnd + 1, prefixEnd)),
        token: known(text.slice(prefixEnd + 1, tokenEnd)),
        address: known(text.slice(tokenEnd + 1, endOf(text, ',', tokenEnd + 1, placesEnd))),
        sketch: readSketch(bytes, fieldsEnd, ends[first + i] ?? fieldsEnd),
        via,
      };
    }),
  );
}

function endOfFields(bytes: Buffer, start: number): number {
  let at = start;
  for (let field = 0; field < fieldsOfCandidate && at < bytes.length; at += 1) if (bytes[at] === bar) field += 1;
  return at;
}

/** The next position of the separator, or the end if it does not come before that. */
function endOf(text: string, separator: string, from: number, end: number): number {
  const at = text.indexOf(separator, from);
  return at < 0 || at > end ? end : at;
}

/** Lua’s empty table may arrive as a map. */
function listOf<T>(list: T[]): T[] {
  return Array.isArray(list) ? list : [];
}

/** Lua writes false for what was not measured. */
function orNull<T>(value: T | false): T | null {
  return value === false ? null : value;
}

const known = (text: string): string | null => (text === '' ? null : text);
