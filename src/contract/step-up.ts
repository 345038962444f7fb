/** A verification that a score asked for: which score, how much it has to prove, and what later scores of the same session make of it. */
export interface StepUp {
  readonly receiptId: string;
  /** As it was scored. */
  readonly sessionId: string;
  readonly intensity: StepUpIntensity;
}

/** light: a press of a button. heavy: a capture. */
export type StepUpIntensity = 'light' | 'heavy';

export type StepUpOutcome = {
  readonly passed: boolean;
  readonly intensity: StepUpIntensity;
};
