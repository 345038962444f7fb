/**
 * What one message of the probe says against its session by itself. The store that keeps probes is told, so that a later message takes nothing
 * back, and so that where some must go, the worst stay.
 */
import type { ProbeFacts } from '../../src/contract/facts.js';
import { weighPageInput } from './behavior.js';
import { weighPage } from './device.js';
import { keepWorst } from './rule.js';
import { readPage } from './visit.js';

/** Code and logits of each finding against the session, before any discount or cap; none for a clean page. */
export function suspectPage(facts: ProbeFacts): [code: string, weight: number][] {
  const page = readPage(facts);
  return keepWorst([weighPage(page, null), weighPageInput(page)])
    .filter(({ weight }) => weight > 0)
    .map(({ code, weight }) => [code, weight]);
}
