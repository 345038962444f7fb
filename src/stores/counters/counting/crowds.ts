/**
 * Distinct devices or respondents of an address within the last hour, by five minutes. Exact up to `bounds.distinctCap`; from there on each falls into
 * one of 4,096 cells, which hold when somebody was seen in them last, and the share of empty cells shows how many there were (within 2% up to 4,000),
 * until nobody came for an hour.
 */
import { bounds } from '../bounds.js';
import { u8, u16At, u32, u32At, u8At, type Bytes } from './bytes.js';
import { dropEntries, entryBytes, noteEntry, stampAt } from './sightings.js';

/** A list begins with how many it has, cells with this. */
const cellsMark = 255;
const cellCount = 4_096;
/** Slots by their number below this, beyond 0 for an empty cell; longer than the window. */
const cycle = 255;

export interface Crowd {
  readonly crowd: Bytes;
  readonly count: number;
}

const slotStamp = (slot: number): Bytes => `\0\0${u32(slot)}`;
const slotAt = (list: Bytes, at: number): number => u32At(stampAt(list, at), 2);
const markOf = (slot: number): number => 1 + (slot % cycle);
const cellOf = (ref: Bytes): number => u16At(ref, 4) % cellCount;

/** The bytes of a crowd that begins here. */
export const crowdBytesAt = (bytes: Bytes, at: number): number => {
  const count = u8At(bytes, at);
  return count === cellsMark ? 5 + cellCount : 1 + count * entryBytes;
};

/** With the member, if one is given, as seen in the slot. */
export function countCrowd(before: Bytes, slot: number, member: Bytes | null): Crowd {
  const isCells = u8At(before, 0) === cellsMark;
  const oldest = slot - bounds.slotsPerHour;
  if (isCells && u32At(before, 1) > oldest) return countCells(before, slot, member);
  const known = before === '' || isCells ? '' : before.slice(1);
  const noted = member === null ? known : noteEntry(known, member, slotStamp(slot));
  const list = noted === '' ? '' : dropEntries(noted, slotStamp(oldest));
  const count = list.length / entryBytes;
  if (count <= bounds.distinctCap) return { crowd: u8(count) + list, count };
  return countCells(cellsOf(list), slot, null);
}

function cellsOf(list: Bytes): Bytes {
  const marks = new Uint8Array(cellCount);
  let latest = 0;
  for (let at = 0; at < list.length; at += entryBytes) {
    const slot = slotAt(list, at);
    latest = Math.max(latest, slot);
    marks[cellOf(list.slice(at))] = markOf(slot);
  }
  return join(latest, marks);
}

const join = (latest: number, marks: Uint8Array): Bytes =>
  u8(cellsMark) + u32(latest) + Buffer.from(marks.buffer).toString('latin1');

function countCells(before: Bytes, slot: number, member: Bytes | null): Crowd {
  const latest = Math.max(slot, u32At(before, 1));
  const recent = new Set(Array.from({ length: bounds.slotsPerHour }, (_, back) => markOf(slot - back)));
  for (let later = slot + 1; later <= latest; later += 1) recent.add(markOf(later));
  const marks = Uint8Array.from({ length: cellCount }, (_, cell) => u8At(before, 5 + cell));
  if (member !== null) marks[cellOf(member)] = markOf(slot);
  let empty = 0;
  marks.forEach((mark, cell) => {
    if (recent.has(mark)) return;
    empty += 1;
    marks[cell] = 0;
  });
  const count = Math.round(cellCount * Math.log(cellCount / Math.max(1, empty)));
  const crowd = member === null ? before.slice(0, 5) + join(0, marks).slice(5) : join(latest, marks);
  return { crowd, count };
}

export const noCrowd: Bytes = u8(0);
