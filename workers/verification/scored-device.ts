/**
 * Whether a step-up comes from another device than the one that was scored. A browser that was updated, a window that was moved to another monitor and
 * a missing part leave it the same; another system or machine does not. Nothing distinguishes two machines of one model.
 */
import type { DeviceSketch } from '../../src/contract/facts.js';
import { probeBodyOf, type Envelope } from '../../src/contract/envelope.js';
import { isOther } from '../duplicates/likeness.js';
import { sketchDevice, sketchThresholds } from '../duplicates/sketch.js';

/** True, too, if the envelope withholds what distinguishes devices. */
export function isOtherDevice(scored: DeviceSketch, envelope: Envelope): boolean {
  const current = sketchDevice(probeBodyOf(envelope), null);
  const shared = current.terms.filter((term, index) => term !== null && scored.terms[index] != null);
  if (shared.length < sketchThresholds.termsMin) return true;
  return isOther(current, scored);
}
