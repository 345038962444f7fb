/** From a score to the probability of fraud. */
import { cleanProbabilityOf } from './fitted.js';

/** Used for sessions of which it is unknown whether a probe came. */
const clean = (cleanProbabilityOf(true) + cleanProbabilityOf(false)) / 2;

/** The probability that a score of the evidence alone stands for, on the scale of scores. */
export const probabilityOf = (score: number): number => clean + ((1 - clean) * score) / 100;
