/**
 * How alike two faces must be to be nearly identical: so alike that strangers hardly ever are, whatever the number of faces. The cosine of unit vectors is
 * bounded, so that the tail of a normal distribution, which the gallery's cutoffs are cautious to use, lies far too high here. That of a sphere is
 * taken, with as many dimensions as give the deviation that the model's strangers have.
 */
import type { FaceModel } from './face-models.js';

/** Share of the pairs of strangers that may reach the cutoff. A tenth of one in a million: the tail is extrapolated. */
export const reusedShare = 1e-7;
/** Least cutoff, as likeness beyond that of strangers: two captures of one photograph reach it, two of one person seldom. */
const likenessMin = 0.9;
const steps = 512;

export function reuseCutoff({ impostor: { mean, deviation } }: FaceModel): number {
  // A likeness that strangers share says nothing.
  const own = 1 - Math.max(0, mean);
  return mean + (1 - mean) * Math.max(likenessMin, sphereCutoff(deviation / own, reusedShare));
}

/** The cosine that a share of pairs of random directions exceeds, on the sphere whose cosines deviate by `deviation`. */
export function sphereCutoff(deviation: number, share: number): number {
  // Fewer than three dimensions have no tail.
  const power = Math.max(1, 1 / (deviation * deviation) - 2);
  const whole = capOf(Math.PI, power);
  let [low, high] = [0, Math.PI / 2];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (capOf(middle, power) / whole > share) high = middle;
    else low = middle;
  }
  return Math.cos(low);
}

/** Integral of sin^power from 0 to `angle`, by Simpson's rule. */
function capOf(angle: number, power: number): number {
  const width = angle / steps;
  let sum = 0;
  for (let index = 0; index <= steps; index += 1) {
    const factor = index === 0 || index === steps ? 1 : 2 + 2 * (index % 2);
    sum += factor * Math.sin(index * width) ** power;
  }
  return (sum * width) / 3;
}
