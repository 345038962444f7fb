/** A verification that a score asked for: which score, how much it has to prove, and what later scores of the same session make of it. */
import type { SessionMode } from './common.js';
import type { DeviceSketch, Ref, StepUpIntensity } from './facts.js';

/** The visit that was scored, as references that scores of the project share; null where the score did not know it. */
export interface ScoredVisit {
  readonly respondent: Ref | null;
  /** The reference of the caller’s deviceHash. */
  readonly deviceHash: Ref | null;
  /** The system in the user agent that the caller sent. */
  readonly os: string | null;
}

export interface StepUp extends ScoredVisit {
  readonly receiptId: string;
  /** The session id of the score. */
  readonly sessionId: string;
  readonly intensity: StepUpIntensity;
  /** The device of the page that was scored, or without one that of the verification; null if too little of it is known. */
  readonly device: DeviceSketch | null;
}

/** A verification of a step-up that has ended. */
export type EndedStepUp = {
  readonly passed: boolean;
  readonly stepUp: StepUp;
  /** The respondent that the backend named for the verification; null if it named none. */
  readonly respondentId: string | null;
};

/**
 * The verification that a receipt asks for. Throws NOT_FOUND for a receipt that is not of the project and the mode, VALIDATION_FAILED for one that asks
 * for none, and for one of another respondent. `respondentId`: null if the session names none, undefined for a test respondent, who is not compared.
 */
export type FindStepUp = (
  owner: { readonly organizationId: string; readonly projectId: string; readonly mode: SessionMode },
  receiptId: string,
  respondentId: string | null | undefined,
) => Promise<StepUp>;
