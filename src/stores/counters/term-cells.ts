/**
 * Where a sketch’s terms stand in the project’s frequency table: a count-min sketch of two rows. A term owns one
 * cell in each row and its frequency is the smaller of the two, so that a shared cell can only make a term look
 * more common than it is, which weakens a match and never strengthens one. Pure; both adapters use it.
 */
import type { DeviceSketch } from '../../contract/facts.js';
import { hashText } from '../../contract/hash.js';
import { bounds } from './bounds.js';

/** The two cells of each term, or null where the term is unknown. Cells of the second row follow those of the first. */
export type TermCells = readonly (readonly [number, number] | null)[];

/** The cells of a sketch’s terms, in their order. */
export function locateTerms(sketch: DeviceSketch): TermCells {
  return sketch.terms.slice(0, bounds.termsMax).map((term, component) => {
    if (term === null) return null;
    const hash = hashText(`${component}:${term}`);
    return [hash % bounds.termCells, bounds.termCells + (Math.floor(hash / bounds.termCells) % bounds.termCells)];
  });
}
