/** Messages at the end of an attempt. Only those reasons of a verdict are shown that help the respondent. */
import type { Outcome } from '../ports.js';
import type { Message } from './screens.js';
import type { Texts } from './texts/en.js';

/** Errors with a text of their own; all others are a check that cannot run here. */
const errorTexts = {
  NETWORK_ERROR: ['network', 'cloud'],
  TIMEOUT: ['network', 'cloud'],
  RATE_LIMIT_EXCEEDED: ['wait', 'clock'],
  SESSION_EXPIRED: ['expired', 'clock'],
  RETRY_BUDGET_EXHAUSTED: ['spent', 'person'],
} as const;

export function outcomeMessage(texts: Texts, { status, code, canRetry, hadCamera }: Outcome): Message {
  if (status === 'pass') return { icon: 'check', tone: 'good', text: code === null ? texts.pass : texts.degraded };
  if (status === 'declined') return { icon: 'check', tone: 'good', text: texts.without };
  const known = errorTexts[code as keyof typeof errorTexts];
  if (known !== undefined) return { icon: known[1], tone: 'warn', text: texts[known[0]] };
  if (status === 'error') return { icon: 'gear', tone: 'warn', text: texts.setup };
  if (code === 'DUPLICATE_DETECTED') return { icon: 'person', text: texts.duplicate };
  if (!canRetry) return { icon: 'person', text: texts.spent };
  // What helps before a camera is said to nobody who had none.
  return { icon: 'again', tone: 'warn', text: hadCamera ? texts.fail : [texts.fail[0], texts.expired[1]] };
}
