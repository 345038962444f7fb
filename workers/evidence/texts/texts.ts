/** The texts of evidence in one language. Codes, names of fields and what a browser calls itself are the same in all. */
import type { FactorTexts } from '../factors.js';
import type { FindingCode } from '../../scoring/rule-set.js';
import type { SummaryTexts } from './en.js';

/** English words that rules put into their sentences. */
export const valueWords = [
  'once',
  'twice',
  '{value} times',
  'from the same home address',
  'from the same network',
  'light',
  'heavy',
  'private',
  'loopback',
  'reserved',
  'unnamed',
  'no reason given.',
  'native history is sufficient',
  'too few attempts and no completes',
  'reconciliationRate is missing',
  'they agree with native history',
  'longer than the page',
  'a question longer than the page',
  'events longer than their sum',
  'a page that grew younger',
  'longer than between its messages',
  'a clock that went back',
] as const;

export interface EvidenceTexts {
  readonly summary: SummaryTexts;
  readonly factors: FactorTexts;
  readonly words: Readonly<Record<(typeof valueWords)[number], string>>;
  /** In the form of a rule’s own sentence. */
  readonly details: Readonly<Record<FindingCode, string>>;
}
