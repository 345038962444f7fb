/**
 * How common a sketch’s terms are in a project: two weekly generations of a row of counts (see term-cells.ts). The current one is written, both are
 * read. The last cell counts sketches. 128 KB per project and week.
 */
import { bounds } from '../bounds.js';

export type TermCounts = Uint32Array;

const totalCell = bounds.termCells;

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
