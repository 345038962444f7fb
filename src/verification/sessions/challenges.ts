/**
 * What a session asks of the camera: challenges, drawn at random, and the models that measure the answers.
 */
import type { SessionMode } from '../../contract/common.js';
import { exampleChallenges } from '../../contract/envelope-examples.js';
import { challengeTypes, type ChallengeType, type IssuedChallenge } from '../../contract/verdict.js';

export interface Randomness {
  /** Uniform in 0..below-1. */
  readonly integer: (below: number) => number;
  readonly bytes: (count: number) => Buffer;
}

export interface ChallengePolicy {
  readonly widgetMode: 'invisible' | 'captcha' | 'standard';
  readonly challengeEnabled: boolean;
  readonly escalateOnSuspicion: boolean;
  readonly mode: SessionMode;
}

const challengeCount = { invisible: 2, captcha: 2, standard: 3 } as const;
const timeoutMs = 8_000;

/** In the order in which they have to be answered; empty where the project asks for none. No type comes twice. */
export function issueChallenges(policy: ChallengePolicy, random: Randomness): readonly IssuedChallenge[] {
  const { widgetMode, challengeEnabled, escalateOnSuspicion, mode } = policy;
  const isFixed = mode !== 'live';
  if (!challengeEnabled || (widgetMode === 'invisible' && !escalateOnSuspicion)) return [];
  const left: ChallengeType[] = [...(isFixed ? exampleChallenges : challengeTypes)];
  return Array.from({ length: challengeCount[widgetMode] }, () => {
    const [type = 'blink'] = left.splice(isFixed ? 0 : random.integer(left.length), 1);
    return { id: `chl_${random.bytes(9).toString('base64url')}`, type, timeoutMs };
  });
}

/** Kinds of models that the widget needs for a session. */
export const livenessModelsOf = ({ widgetMode, escalateOnSuspicion }: Omit<ChallengePolicy, 'mode'>): string[] =>
  widgetMode === 'invisible' && !escalateOnSuspicion ? [] : ['landmarks', 'antispoof', 'embedding'];
