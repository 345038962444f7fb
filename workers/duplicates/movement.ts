/**
 * Marks of a session’s input that stay when it is replayed with other noise (locality-sensitive hashing): its statistics in five groups, each rounded
 * on two grids that are half a step apart. Input that agrees in three groups is the same input; two people seldom agree in
 * one. A group of few events, or of values that are all alike, gives no mark.
 */
import { hashText } from '../../src/contract/hash.js';
import type { ProbeBody, Sample } from '../../src/contract/probe.js';

type Behavior = NonNullable<ProbeBody['beh']>;
type SampleName = {
  [Name in keyof Behavior]-?: Behavior[Name] extends Sample | null | undefined ? Name : never;
}[keyof Behavior];

export const movementThresholds = {
  /** Events of a sample below which it is no hand’s mark. */
  eventsMin: { clickDwell: 5, clickSettle: 5, clickCentre: 5, keyDwell: 20, keyFlight: 20, interval: 60, turn: 60 },
  /** Step of the grids for the number of events, as a share of itself; then of the mean and of the deviation. */
  ofCount: 0.1,
  /** Shifts of the grids, in steps. */
  grids: [0, 0.5],
  groups: {
    press: [['clickDwell', 0.03, 0.1]],
    aim: [
      ['clickCentre', 0.03, 0.08],
      ['clickSettle', 0.04, 0.12],
    ],
    keys: [['keyDwell', 0.02, 0.08]],
    flight: [['keyFlight', 0.04, 0.06]],
    path: [
      ['turn', 0.08, 0.1],
      ['interval', 0.05, 0.12],
    ],
  },
} as const satisfies {
  ofCount: number;
  grids: readonly number[];
  eventsMin: Partial<Record<SampleName, number>>;
  groups: Record<string, readonly (readonly [SampleName, number, number])[]>;
};

const { ofCount, eventsMin, grids, groups } = movementThresholds;

/** At most ten; the first letter of each names its group. */
export function marksOfMovement({ beh }: Pick<ProbeBody, 'beh'>): string[] {
  if (beh == null) return [];
  return Object.values(groups).flatMap((group, index) => {
    const places = group.map(([name, ...steps]) => placesOf(beh[name], steps, eventsMin[name])).flat();
    if (places.includes(null)) return [];
    const letter = String.fromCharCode(97 + index);
    return grids.map((shift) => {
      const cells = places.map((place) => Math.floor((place ?? 0) + shift));
      return `${letter}${hashText(`${shift}:${cells.join(':')}`, index).toString(36)}`;
    });
  });
}

/** Number, mean and deviation on scales whose unit is a step. */
function placesOf(
  sample: Sample | null | undefined,
  [ofMean, ofDeviation]: readonly [number, number],
  least: number,
): (number | null)[] {
  if (sample == null) return [null];
  const [count, mean, deviation] = sample;
  if (count < least || deviation <= 0 || mean <= 0) return [null];
  return [Math.log(count) / ofCount, Math.log(mean) / ofMean, Math.log(deviation) / ofDeviation];
}
