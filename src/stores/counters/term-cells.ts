/**
 * Locates a sketch’s terms in the project’s frequency table: each term owns one cell of a row of counts. Terms that share a cell look more common than
 * they are, which weakens a match and never strengthens one (docs/adr/0021). Pure; both adapters use it.
 */
import type { DeviceSketch } from '../../contract/facts.js';
import { hashText } from '../../contract/hash.js';
import { bounds } from './bounds.js';

/** The cells of a sketch’s terms, in their order; null where the term is unknown. */
export function locateTerms(sketch: DeviceSketch): (number | null)[] {
  return sketch.terms
    .slice(0, bounds.termsMax)
    .map((term, component) => (term === null ? null : hashText(`${component}:${term}`) % bounds.termCells));
}
