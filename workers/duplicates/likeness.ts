/**
 * How much two looks agree (Fellegi and Sunter): each term that agrees speaks for one device, the more the rarer its value is in the project;
 * each that differs speaks against. The worth of a term depends on the session’s own sketch only, so it is worked out and ranked once, and a
 * candidate costs one walk over the terms.
 */
import type { CountFacts, DeviceSketch, DuplicateCandidate } from '../../src/contract/facts.js';
import { clamp, sortDown } from '../scoring/model.js';
import { componentIndex, components } from './sketch.js';

/** Bits for one device: of hardware and browser, and of clock and languages, which neighbors share; and those against it, below 0. */
export interface Likeness {
  readonly hardware: number;
  readonly place: number;
  readonly difference: number;
}

export const likenessThresholds = {
  /** Sketches that a project’s own frequencies are weighed against. */
  usualSketches: 100,
  kindDiscount: 0.5,
  /** Between which the chance that strangers agree in a part is taken to lie, however rare or common it was seen. */
  chanceRange: [0.000001, 0.95],
} as const;

const thresholds = likenessThresholds;

/** Bits that terms are worth, by component, and for each kind its known components, the most telling first. */
interface Worth {
  readonly bits: readonly number[];
  readonly ranked: Readonly<Record<'hardware' | 'place', readonly number[]>>;
}

const indexesOf = (kind: 'hardware' | 'place'): readonly number[] =>
  components.flatMap((component, index) => (component.kind === kind ? [index] : []));
const kinds = { hardware: indexesOf('hardware'), place: indexesOf('place') };

export function createLikeness(own: DeviceSketch, terms: CountFacts['terms']): (sketch: DeviceSketch) => Likeness {
  const { agree, differ } = rankTerms(own, terms);
  return (sketch) => ({
    hardware: sumBits(agree, 'hardware', own, sketch, true),
    place: sumBits(agree, 'place', own, sketch, true),
    difference: sumBits(differ, 'hardware', own, sketch, false) + sumBits(differ, 'place', own, sketch, false),
  });
}

/** One device does not change its system, nor does its browser grow younger. */
export function isContradicted(
  own: DeviceSketch,
  { sketch, atMs }: Pick<DuplicateCandidate, 'sketch' | 'atMs'>,
  nowMs: number,
): boolean {
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

const model = componentIndex('model');

/** Both name a model, as phones and tablets do, and not the same one. */
export function isOtherModel(own: DeviceSketch, { terms }: DeviceSketch): boolean {
  const [ours = null, theirs = null] = [own.terms[model], terms[model]];
  return ours !== null && theirs !== null && ours !== theirs;
}

const canvas = componentIndex('canvas');

/** Firefox adds noise to drawings that is new at each start of the browser, so that another drawing says nothing. */
const isNoisy = (own: DeviceSketch, component: number): boolean => component === canvas && own.browser === 'firefox';

/** Whether a sketch is another device’s than an earlier one. Parts that one of them lacks are not compared. */
export function isOther(own: DeviceSketch, earlier: DeviceSketch): boolean {
  const { hardware, place, difference } = createLikeness(own, null)(earlier);
  return isContradicted(own, { sketch: earlier, atMs: 0 }, 1) || hardware + place + difference < 0;
}

function rankTerms(own: DeviceSketch, terms: CountFacts['terms']): { readonly agree: Worth; readonly differ: Worth } {
  const agree: number[] = [];
  const differ: number[] = [];
  components.forEach(({ same, usual }, index) => {
    const chance = chanceOf(usual, terms?.counts[index] ?? null, terms?.total ?? 0);
    agree.push(Math.max(0, Math.log2(same / chance)));
    differ.push(isNoisy(own, index) ? 0 : Math.min(0, Math.log2((1 - same) / (1 - chance))));
  });
  const rank = (bits: readonly number[]): Worth => {
    const known = (kind: readonly number[]): number[] =>
      sortDown(
        kind.filter((index) => (own.terms[index] ?? null) !== null),
        (index) => Math.abs(bits[index] ?? 0),
      );
    return { bits, ranked: { hardware: known(kinds.hardware), place: known(kinds.place) } };
  };
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
function sumBits(
  { bits, ranked }: Worth,
  kind: 'hardware' | 'place',
  own: DeviceSketch,
  other: DeviceSketch,
  same: boolean,
): number {
  let sum = 0;
  let share = 1;
  for (const index of ranked[kind]) {
    const theirs = other.terms[index] ?? null;
    if (theirs === null || (theirs === own.terms[index]) !== same) continue;
    sum += (bits[index] ?? 0) * share;
    share *= thresholds.kindDiscount;
  }
  return sum;
}
