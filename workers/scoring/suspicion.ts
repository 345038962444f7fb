/**
 * How much one page load says against its session by itself. The store that keeps probes is told, so that where it must let some go, the
 * worst stay.
 */
import type { ProbeFacts } from '../../src/contract/facts.js';
import { weighPageInput } from './behavior.js';
import { weighPage } from './device.js';
import { readPage } from './visit.js';

/** Logits, before any discount or cap; 0 for a clean page. */
export function suspectPage(facts: ProbeFacts): number {
  const page = readPage(facts);
  return [...weighPage(page, null), ...weighPageInput(page)].reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
}
