/**
 * Sketches a device from its probe, and finds the bands under which similar sketches meet (MinHash: 20 bands of 3 rows; sketches that share
 * half of their terms meet with probability 0.93, those that share a fifth with 0.15). Deterministic. null compares with nothing.
 */
import type { DeviceSketch } from '../../src/contract/facts.js';
import type { ProbeBody } from '../../src/contract/probe.js';
import { readUserAgent } from '../../src/contract/user-agent.js';
import { hashText, mix, toHex } from '../../src/contract/hash.js';

/**
 * A comparable part of a device. `same`: how often two visits of one device agree. `usual`: how common a value is while the project’s
 * counts are unknown. Parts of one kind vary together and count less each.
 */
export interface Component {
  readonly name: string;
  readonly kind: 'hardware' | 'place';
  readonly same: number;
  readonly usual: number;
  readonly read: (body: ProbeBody) => string | number | boolean | null | undefined;
}

/** In the order in which every sketch holds them. Order and names are part of what is stored: append, never insert. */
export const components: readonly Component[] = [
  { name: 'platform', kind: 'hardware', same: 0.99, usual: 0.3, read: ({ hw }) => hw?.platform },
  { name: 'systemVersion', kind: 'hardware', same: 0.9, usual: 0.15, read: ({ ua }) => ua?.platformVersion },
  { name: 'model', kind: 'hardware', same: 0.99, usual: 0.05, read: ({ ua }) => ua?.model || null },
  { name: 'architecture', kind: 'hardware', same: 0.99, usual: 0.5, read: ({ ua }) => ua?.arch || null },
  { name: 'cores', kind: 'hardware', same: 0.99, usual: 0.25, read: ({ hw }) => hw?.cores },
  { name: 'memory', kind: 'hardware', same: 0.98, usual: 0.4, read: ({ hw }) => hw?.memory },
  { name: 'touch', kind: 'hardware', same: 0.99, usual: 0.4, read: ({ hw }) => hw?.touch },
  { name: 'screen', kind: 'hardware', same: 0.9, usual: 0.08, read: ({ scr }) => readScreen(scr) },
  { name: 'depth', kind: 'hardware', same: 0.98, usual: 0.8, read: ({ scr }) => scr?.depth },
  { name: 'pixelRatio', kind: 'hardware', same: 0.85, usual: 0.3, read: ({ scr }) => scr?.dpr },
  { name: 'renderer', kind: 'hardware', same: 0.97, usual: 0.05, read: ({ gfx }) => gfx?.renderer },
  {
    name: 'canvas',
    kind: 'hardware',
    same: 0.9,
    usual: 0.02,
    read: ({ gfx }) => (gfx?.stable === false ? null : gfx?.canvas),
  },
  { name: 'audio', kind: 'hardware', same: 0.95, usual: 0.1, read: ({ gfx }) => gfx?.audio },
  { name: 'fonts', kind: 'hardware', same: 0.93, usual: 0.03, read: ({ env }) => env?.fonts },
  { name: 'zone', kind: 'place', same: 0.95, usual: 0.15, read: ({ loc }) => loc?.zone },
  { name: 'languages', kind: 'place', same: 0.95, usual: 0.15, read: ({ loc }) => loc?.languages?.join(',') },
];

export const componentIndex = (name: string): number => components.findIndex((component) => component.name === name);

/** Independent of how the device is held. */
function readScreen(scr: ProbeBody['scr']): string | null {
  if (scr?.w == null || scr.h == null) return null;
  return `${Math.max(scr.w, scr.h)}x${Math.min(scr.w, scr.h)}`;
}

export const sketchThresholds = {
  bands: 20,
  rowsPerBand: 3,
  /** Fewer known terms than this say too little to look for others. */
  termsMin: 5,
} as const;

const { bands: bandCount, rowsPerBand, termsMin } = sketchThresholds;

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
