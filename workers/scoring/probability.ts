/** From a score to the probability that the model expects of sessions with it. */
import { cleanProbabilityOf, probabilityOf } from './fitted.js';
import { weightOf } from './model.js';

/** Balance of evidence, in logits, of an ordinary session that scores 0: a little speaks for it. */
const balanceAtZero = -0.5;

/** The mean of a session with a probe and one without: for counts that do not distinguish them. */
export function expectedAt(score: number): number {
  const [probed, unprobed] = [true, false].map((isProbed) => {
    const balance = score === 0 ? balanceAtZero : weightOf(score, cleanProbabilityOf(isProbed));
    return probabilityOf(balance, isProbed).value;
  });
  return ((probed ?? 0) + (unprobed ?? 0)) / 2;
}
