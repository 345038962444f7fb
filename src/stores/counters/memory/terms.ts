/**
 * How common a sketch’s terms are in a project: two weekly generations of a row of counts (see term-cells.ts), the current one written, both
 * read. 256 KB per project and week; the second half was a second row, and the last cell counts the sketches.
 */
import { bounds } from '../bounds.js';

export type TermCounts = Uint32Array;

const totalCell = 2 * bounds.termCells;

export function createTermCounts(): TermCounts {
  return new Uint32Array(totalCell + 1);
}

/** Counts one sketch. */
export function addTerms(counts: TermCounts, cells: readonly (number | null)[]): void {
  for (const cell of [totalCell, ...cells])
    if (cell !== null) counts[cell] = Math.min(bounds.termCountMax, (counts[cell] ?? 0) + 1);
}

/** Frequencies over the generations given. */
export function readTerms(
  generations: readonly (TermCounts | undefined)[],
  cells: readonly (number | null)[],
): { total: number; counts: (number | null)[] } {
  const sum = (cell: number): number => generations.reduce((total, counts) => total + (counts?.[cell] ?? 0), 0);
  return { total: sum(totalCell), counts: cells.map((cell) => (cell === null ? null : sum(cell))) };
}
