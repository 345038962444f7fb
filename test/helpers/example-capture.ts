/**
 * The capture of the documented biometric example: short and of few points, so that it can be read and posted at once.
 */
import type { ChallengeType } from '../../src/contract/verdict.js';
import { captureHuman, challengesOf, type Capture } from './captures.js';

export const captureExample = (types: readonly ChallengeType[]): Capture =>
  captureHuman({
    seed: 10,
    challenges: challengesOf(...types),
    topology: 'key23',
    framesPerSecond: 12,
    leadMs: 300,
    reactionMs: 280,
    shownMs: 1_000,
    gapMs: 400,
  });
