/**
 * Renders the evidence of a recorded session again, on the very path that scored it: under the same rule set the result
 * is the same, and under another the classification tells.
 */
import type { Classification, ScoreFacts } from '../../src/contract/facts.js';
import type { EvidenceBlock } from '../../src/contract/score.js';
import { scoreFacts } from '../scoring/score.js';

export interface RenderedEvidence {
  readonly evidence: EvidenceBlock;
  readonly classification: Classification;
  readonly modelVersion: string;
}

export function renderEvidence(facts: ScoreFacts): RenderedEvidence {
  const { reply, classification, modelVersion } = scoreFacts(facts);
  return { evidence: reply.evidence, classification, modelVersion };
}
