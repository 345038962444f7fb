/**
 * How common a sketch’s terms are in a project: two weekly generations of a count-min sketch (see term-cells.ts),
 * the current one written, both read. The last cell counts the sketches. 256 KB per project and week.
 */
import { bounds } from '../bounds.js';
import type { TermCells } from '../term-cells.js';

export type TermCounts = Uint32Array;

const totalCell = 2 * bounds.termCells;

export function createTermCounts(): TermCounts {
  return new Uint32Array(totalCell + 1);
}

/** Counts one sketch. Of a term’s two cells only the smaller grows, which keeps strangers’ cells low. */
export function addTerms(counts: TermCounts, cells: TermCells): void {
  counts[totalCell] = Math.min(bounds.termCountMax, (counts[totalCell] ?? 0) + 1);
  for (const pair of cells) {
    if (pair === null) continue;
    const next = Math.min(bounds.termCountMax, readPair(counts, pair) + 1);
    for (const cell of pair) counts[cell] = Math.max(counts[cell] ?? 0, next);
  }
}

/** Frequencies over the generations given. */
export function readTerms(
  generations: readonly (TermCounts | undefined)[],
  cells: TermCells,
): { total: number; counts: (number | null)[] } {
  const sum = (read: (counts: TermCounts) => number): number =>
    generations.reduce((total, counts) => total + (counts === undefined ? 0 : read(counts)), 0);
  return {
    total: sum((counts) => counts[totalCell] ?? 0),
    counts: cells.map((pair) => (pair === null ? null : sum((counts) => readPair(counts, pair)))),
  };
}

function readPair(counts: TermCounts, [first, second]: readonly [number, number]): number {
  return Math.min(counts[first] ?? 0, counts[second] ?? 0);
}
