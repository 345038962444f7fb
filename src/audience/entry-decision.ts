/**
 * What the gate does with a respondent that it has scored. Pure.
 *
 * A step_up asks for a verification: it passes where one follows, and not where none does. The band of duplication is that of the study.
 */
import type { ScoreReply } from '../contract/score.js';

export type DuplicateBand = ScoreReply['duplicate']['band'];

export interface Gated {
  readonly recommendation: ScoreReply['recommendation'];
  readonly duplicateBand: DuplicateBand;
  /** By the address, else as declared; null: not known. */
  readonly country: string | null;
}

export interface GateRules {
  readonly countries: readonly string[];
  readonly serviceCheck: boolean;
  readonly minimumQuality: 'standard' | 'strict';
}

/** null: they may go on. Else why not, which is for the owner’s eyes only. */
export function screen(
  { recommendation, duplicateBand, country }: Gated,
  { countries, serviceCheck, minimumQuality }: GateRules,
): 'gate' | 'duplicate' | 'country' | null {
  const strict = minimumQuality === 'strict';
  if (country !== null && !countries.includes(country)) return 'country';
  if (duplicateBand === 'confirmed' || (duplicateBand === 'likely' && strict)) return 'duplicate';
  switch (recommendation) {
    case 'allow':
      return null;
    case 'review':
      return strict ? 'gate' : null;
    case 'step_up':
      return serviceCheck ? null : 'gate';
    case 'block':
      return 'gate';
  }
}

/** Whether a completed verification suffices. */
export const isVerificationEnough = (
  { status, assurance }: { readonly status: 'pass' | 'fail' | 'review'; readonly assurance: string },
  { minimumQuality }: Pick<GateRules, 'minimumQuality'>,
): boolean => status === 'pass' && (minimumQuality === 'standard' || assurance === 'biometric');
