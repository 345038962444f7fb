/**
 * The result of the verification that an earlier score of the session requested. It holds on the device that was scored then, and where the score
 * without it asks for no more than it proved. A session is asked once for each intensity: its next score decides.
 */
import type { StepUpIntensity, StepUpOutcome } from '../../src/contract/facts.js';
import { isOther } from '../duplicates/likeness.js';
import { sketchDevice } from '../duplicates/sketch.js';
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

/** A press of a button is worth half of what a capture is, and a capture proves what a press does. */
export const stepUpThresholds = { lightShare: 0.5, order: { none: 0, light: 1, heavy: 2 } } as const;

const raise = createRaise(stepUpRules);

/** `asked`: the intensity at the score without any. null if no result holds. */
export function findStepUp(
  { facts: { stepUps = [] }, pages }: Visit,
  asked: StepUpIntensity | 'none',
): StepUpOutcome | null {
  const { order } = stepUpThresholds;
  const heavyEnough = stepUps.filter(({ intensity }) => order[intensity] >= order[asked]);
  if (heavyEnough.length === 0) return null;
  const sketches = pages.map(({ body, transport }) => sketchDevice(body, transport.userAgent));
  // Without a device to compare it holds for no page.
  const isHere = ({ device }: StepUpOutcome) => sketches.every((sketch) => device !== null && !isOther(sketch, device));
  return heavyEnough.find(isHere) ?? null;
}

export function weighStepUp({ passed, intensity }: StepUpOutcome): Signal[] {
  const signals: Signal[] = [];
  const code = passed ? 'step_up_passed' : 'step_up_failed';
  const share = intensity === 'light' ? stepUpThresholds.lightShare : 1;
  raise(signals, code, stepUpRules[code].weight * share, intensity);
  return signals;
}
