/**
 * Sketches a device from its probe, and finds the bands under which similar sketches meet (MinHash: 20 bands of 3 rows, so that two sketches
 * that share half of their terms meet with probability 0.93, and two that share a fifth with 0.15). Pure and deterministic: the same probe gives
 * the same sketch on every instance. What the probe could not measure is null and compares with nothing.
 */
import type { DeviceSketch } from '../../src/contract/facts.js';
import type { ProbeBody } from '../../src/contract/probe.js';
import { readUserAgent } from '../../src/contract/user-agent.js';
import { components } from './components.js';
import { hashText, mix, toHex } from '../../src/contract/hash.js';

export const sketchEdges = {
  bands: 20,
  rowsPerBand: 3,
  /** Fewer known terms than this say too little to look for others. */
  termsMin: 5,
} as const;

const { bands: bandCount, rowsPerBand, termsMin } = sketchEdges;

const permutations: readonly number[] = Array.from({ length: bandCount * rowsPerBand }, (_, index) => mix(index + 1));

/** `userAgent` is that of the probe’s request; it stands in where the body has none. */
export function sketchDevice(body: ProbeBody, userAgent: string | null): DeviceSketch {
  const agent = readUserAgent(body.ua?.ua ?? userAgent);
  return {
    terms: components.map(({ name, read }) => {
      const value = read(body);
      return value == null ? null : toHex(hashText(`${name}=${String(value)}`));
    }),
    osFamily: agent?.os ?? null,
    browser: agent?.browser ?? null,
    browserMajor: agent?.major ?? null,
  };
}

/** At most 20 short keys; none for a sketch of too few terms. */
export function bandsOf(sketch: DeviceSketch): string[] {
  const terms: number[] = [];
  sketch.terms.forEach((term, component) => {
    if (term !== null) terms.push(hashText(term, component + 1));
  });
  if (terms.length < termsMin) return [];
  const bands: string[] = [];
  for (let band = 0; band < bandCount; band += 1) {
    let key = band + 1;
    for (let row = 0; row < rowsPerBand; row += 1)
      key = mix(Math.imul(key, 0x9e3779b1) ^ smallestUnder(terms, permutations[band * rowsPerBand + row] ?? 0));
    bands.push(`${band.toString(36)}${toHex(key)}`);
  }
  return bands;
}

/** The smallest term under one of the permutations: a shift of bits, then an odd factor, which loses nothing. */
function smallestUnder(terms: readonly number[], permutation: number): number {
  const factor = permutation | 1;
  let smallest = 0xffffffff;
  for (const term of terms) {
    const value = Math.imul(term ^ permutation, factor) >>> 0;
    if (value < smallest) smallest = value;
  }
  return smallest;
}
