/**
 * How probable it is that two sketches are of one device (Fellegi and Sunter): each term that agrees speaks for it, the more the rarer
 * its value is in the project; each that differs speaks against. Where chance alone would bring such a twin, where frequencies are not known, and on phones,
 * the answer stays just under `likely`.
 *
 * What a term is worth depends on the session’s own sketch only, so it is worked out and ranked once, and a candidate costs one walk over the terms.
 */
import type { CountFacts, DeviceSketch, DuplicateCandidate } from '../../src/contract/facts.js';
import { clamp, sortDown } from '../scoring/model.js';
import { components } from './sketch.js';

/** Probability that a candidate is the session’s own device. */
export type Likeness = (candidate: DuplicateCandidate) => number;

export const likenessThresholds = {
  /** Most that likeness alone is worth where a twin is no surprise. */
  uncertainMax: 0.89,
  /** Share of sessions that repeat an earlier one, before anything is compared. */
  priorShare: 0.05,
  /** Sketches that a project’s own frequencies are weighed against, and the fewest that likeness is judged among. */
  usualSketches: 100,
  sketchesMin: 500,
  /** Twins by chance to be expected from which likeness is not enough. */
  chanceMax: 0.1,
  kindDiscount: 0.5,
  /** Between which the chance that strangers agree in a part is taken to lie, however rare or common it was seen. */
  chanceRange: [0.000001, 0.95],
} as const;

const thresholds = likenessThresholds;

/** Bits that terms are worth, by component, and for each kind its known components, the most telling first. */
interface Worth {
  readonly bits: readonly number[];
  readonly ranked: readonly (readonly number[])[];
}

const kinds = (['hardware', 'place'] as const).map((kind) =>
  components.flatMap((component, index) => (component.kind === kind ? [index] : [])),
);

export function createLikeness(own: DeviceSketch, terms: CountFacts['terms'], nowMs: number): Likeness {
  const among = Math.max(terms?.total ?? 0, thresholds.sketchesMin);
  const uncertain = terms === null || own.osFamily === 'ios' || own.osFamily === 'android';
  const { agree, differ } = rankTerms(own, terms);
  return (candidate) => {
    const { sketch } = candidate;
    if (sketch === null || isContradicted(own, candidate, nowMs)) return 0;
    const agreement = sumBits(agree, own, sketch, true);
    const odds = 2 ** (agreement + sumBits(differ, own, sketch, false)) * (thresholds.priorShare / among);
    const posterior = odds / (1 + odds);
    return uncertain || among * 2 ** -agreement > thresholds.chanceMax
      ? Math.min(posterior, thresholds.uncertainMax)
      : posterior;
  };
}

/** One device does not change its system, nor does its browser grow younger. */
export function isContradicted(own: DeviceSketch, { sketch, atMs }: DuplicateCandidate, nowMs: number): boolean {
  if (sketch === null) return false;
  if (own.osFamily !== null && sketch.osFamily !== null && own.osFamily !== sketch.osFamily) return true;
  if (
    own.browser === null ||
    own.browser !== sketch.browser ||
    own.browserMajor === null ||
    sketch.browserMajor === null
  )
    return false;
  return atMs <= nowMs ? own.browserMajor < sketch.browserMajor : own.browserMajor > sketch.browserMajor;
}

function rankTerms(own: DeviceSketch, terms: CountFacts['terms']): { readonly agree: Worth; readonly differ: Worth } {
  const agree: number[] = [];
  const differ: number[] = [];
  components.forEach(({ same, usual }, index) => {
    const chance = chanceOf(usual, terms?.counts[index] ?? null, terms?.total ?? 0);
    agree.push(Math.max(0, Math.log2(same / chance)));
    differ.push(Math.min(0, Math.log2((1 - same) / (1 - chance))));
  });
  const rank = (bits: readonly number[]): Worth => ({
    bits,
    ranked: kinds.map((kind) =>
      sortDown(
        kind.filter((index) => (own.terms[index] ?? null) !== null),
        (index) => Math.abs(bits[index] ?? 0),
      ),
    ),
  });
  return { agree: rank(agree), differ: rank(differ) };
}

/** How common a value is: among the others of this project, weighed against what is usual. */
function chanceOf(usual: number, count: number | null, total: number): number {
  if (count === null) return usual;
  // The session itself and the candidate are not others.
  const others = Math.max(0, count - 2);
  return clamp(
    (others + thresholds.usualSketches * usual) / (total + thresholds.usualSketches),
    ...thresholds.chanceRange,
  );
}

/** Parts of one kind vary together: each further one counts half of the one before. */
function sumBits({ bits, ranked }: Worth, own: DeviceSketch, other: DeviceSketch, same: boolean): number {
  let sum = 0;
  for (const kind of ranked) {
    let share = 1;
    for (const index of kind) {
      const theirs = other.terms[index] ?? null;
      if (theirs === null || (theirs === own.terms[index]) !== same) continue;
      sum += (bits[index] ?? 0) * share;
      share *= thresholds.kindDiscount;
    }
  }
  return sum;
}
