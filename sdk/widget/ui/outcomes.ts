/** Messages at the end of an attempt. Only those reasons of a verdict are shown that help the respondent. */
import type { Outcome, ViewOptions } from '../ports.js';
import { html } from './dom.js';
import { fill } from './locale.js';
import { goesWithout, type Message } from './screens.js';

/** Errors with a text of their own; all others are a check that cannot run here. */
const errorTexts = {
  NETWORK_ERROR: ['network', 'cloud'],
  TIMEOUT: ['network', 'cloud'],
  SERVICE_UNAVAILABLE: ['unavailable', 'cloud'],
  RATE_LIMIT_EXCEEDED: ['wait', 'clock'],
  SESSION_EXPIRED: ['expired', 'clock'],
  RETRY_BUDGET_EXHAUSTED: ['spent', 'person'],
} as const;

type Looks = Pick<ViewOptions, 'language' | 'disclosure' | 'demands'>;

export function outcomeMessage(looks: Looks, outcome: Outcome): Message {
  const { texts } = looks.language;
  const { status, code } = outcome;
  if (status === 'pass')
    return code === null ? { icon: 'check', tone: 'good', text: texts.pass } : { icon: 'cloud', text: texts.degraded };
  if (status === 'declined') return { icon: 'check', tone: 'good', text: texts.without };
  if (status === 'noted') return { icon: 'person', text: texts.noted };
  // A capture that came apart is begun again, like a session whose time is over.
  const known = errorTexts[(code?.startsWith('CHALLENGE_') ? 'SESSION_EXPIRED' : code) as keyof typeof errorTexts];
  if (known !== undefined) return { icon: known[1], tone: 'warn', text: texts[known[0]] };
  if (status === 'fail') return failureMessage(looks, outcome);
  const reference = code === null ? null : html('p', { class: 'muted' }, fill(texts.reference, { code }));
  return { icon: 'gear', tone: 'warn', text: texts.setup, more: [reference] };
}

/** In NEUTRAL mode a failure that nobody can do anything about is not shown. */
function failureMessage(
  { language: { texts }, disclosure, demands }: Looks,
  { code, canRetry, camera }: Outcome,
): Message {
  if (code === 'DUPLICATE_DETECTED') return { icon: 'person', text: texts.duplicate };
  if (!canRetry) return { icon: 'person', text: disclosure.mode === 'NEUTRAL' ? texts.noted : texts.spent };
  if (camera === 'none') return { icon: 'off', tone: 'warn', text: texts.none };
  if (camera === 'declined' && !goesWithout({ demands }))
    return { icon: 'camera', tone: 'warn', text: texts.needsCamera };
  // Advice for a camera is shown only after one was used.
  const help = camera === 'seen' ? texts.fail[1] : texts.deviceHelp;
  return { icon: 'again', tone: 'warn', text: [texts.fail[0], help] };
}
