/** The result of the verification that an earlier score of the session requested. A session is asked once: its next score decides. */
import { createRaise, model, rulesOf, type Rules, type Signal } from './model.js';
import type { Visit } from './visit.js';

export const stepUpRules = {
  step_up_passed: rulesOf('history', 'exculpatory')(
    'info',
    -model.exculpatoryMax,
    'The requested step-up verification was passed ({value}).',
  ),
  step_up_failed: rulesOf('history', 'correlate')(
    'medium',
    1.5,
    'The requested step-up verification was failed ({value}).',
  ),
} satisfies Rules;

/** A press of a button is worth half of what a capture is. */
export const stepUpThresholds = { lightShare: 0.5 } as const;

const raise = createRaise(stepUpRules);

export function weighStepUp({ facts: { stepUp } }: Visit): Signal[] {
  const signals: Signal[] = [];
  if (stepUp == null) return signals;
  const code = stepUp.passed ? 'step_up_passed' : 'step_up_failed';
  const share = stepUp.intensity === 'light' ? stepUpThresholds.lightShare : 1;
  raise(signals, code, stepUpRules[code].weight * share, stepUp.intensity);
  return signals;
}
