/** From a score to the probability of fraud. */
import { cleanProbabilityOf } from './fitted.js';

/** Of sessions of which it is not known whether a probe came. */
const clean = (cleanProbabilityOf(true) + cleanProbabilityOf(false)) / 2;

/** What a score of the evidence alone announces, by the scale that scores are on. */
export const probabilityOf = (score: number): number => clean + ((1 - clean) * score) / 100;
