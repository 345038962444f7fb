/**
 * How common the terms of a sketch are in the project: a cell of a week for each term, and one that counts sketches. Terms that share a cell look more common,
 * which only weakens a match (docs/internals/adr/0001).
 */
import type { CountFacts, DeviceSketch } from '../../../contract/facts.js';
import { bounds, locateTerms } from '../bounds.js';
import { noRef, tokenOf, u16, u16At, type Bytes } from './bytes.js';
import { within, type Call } from './call.js';
import { admit } from './guard.js';
import type { CellsWanted } from './step.js';

const unknownCell = 0xff_ff;
const totalCell: Bytes = u16(bounds.termCells);
const cellBytes = 2;

/** The cell of each term. */
export const packCells = (sketch: DeviceSketch | null): Bytes =>
  sketch === null
    ? ''
    : locateTerms(sketch)
        .map((cell) => u16(cell ?? unknownCell))
        .join('');

const isUnknown = (cells: Bytes, at: number): boolean => u16At(cells, at) === unknownCell;

/** Cells to be read: those of known terms, then that of all sketches. */
function askedCells(cells: Bytes): Bytes {
  let asked = '';
  for (let at = 0; at < cells.length; at += cellBytes)
    if (!isUnknown(cells, at)) asked += cells.slice(at, at + cellBytes);
  return asked + totalCell;
}

/** Whether the session’s week is still looked back to. */
export const countsTerms = (call: Call): boolean => within(call, 2 * bounds.weekMs);

const weekOf = (nowMs: number): number => Math.floor(nowMs / bounds.weekMs);

const termKeys = ({ keys, nowMs }: Call): readonly [string, string] => [
  keys.terms(weekOf(nowMs)),
  keys.terms(weekOf(nowMs) - 1),
];

/** The session’s cells, in which it is counted if it is new to them. */
export function askTerms(call: Call, known: Bytes): CellsWanted {
  const keys = termKeys(call);
  const cells = askedCells(known);
  if (admit(call.guard, tokenOf('t', noRef, noRef)))
    call.writes.cells = { key: keys[0], cells, keepMs: 2 * bounds.weekMs + bounds.dayMs };
  return { keys, cells };
}

/** `found`: the values of the cells that were asked for, before the session is counted in them. */
export function readTerms({ writes }: Call, cells: Bytes, found: readonly number[]): CountFacts['terms'] {
  const own = ownCounts(writes.cells?.cells ?? '');
  const counts: (number | null)[] = [];
  let place = 0;
  const next = (cell: Bytes): number => (found[place++] ?? 0) + (own.get(cell) ?? 0);
  for (let at = 0; at < cells.length; at += cellBytes)
    counts.push(isUnknown(cells, at) ? null : next(cells.slice(at, at + cellBytes)));
  return { total: next(totalCell), counts };
}

/** How often a session counts in each cell: terms may share one. */
function ownCounts(cells: Bytes): ReadonlyMap<Bytes, number> {
  const counts = new Map<Bytes, number>();
  for (let at = 0; at < cells.length; at += cellBytes) {
    const cell = cells.slice(at, at + cellBytes);
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
  }
  return counts;
}
