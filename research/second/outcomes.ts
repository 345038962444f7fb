/**
 * Outcomes of a visit, as late and as wrong as panels report them. Buyers find a part of the fraud: 84% of bogus respondents pass an attention
 * check (Pew 2020). Reversals come within weeks, or with the reconciliation on the 25th of the next month (Cint). Shares invented.
 */
import type { OutcomeEvent, OutcomeType, ReasonClass } from '../../src/contract/outcome.js';
import { dayMs, hourMs } from './market.js';
import type { Random } from './random.js';
import type { Visit } from './sessions.js';

const found: Readonly<Record<string, number>> = {
  bare_http: 0.6,
  driven_browser: 0.55,
  rented_servers: 0.5,
  forged_probe: 0.45,
  form_filler: 0.4,
  browsing_agent: 0.12,
  taken_account: 0.25,
  profile_farm: 0.3,
  many_accounts: 0.33,
};

export function drawOutcomes(
  random: Random,
  { atMs, supplier, truth, behavior, study }: Visit,
  sessionId: string,
): OutcomeEvent[] {
  const event = (type: OutcomeType, afterMs: number, reasonClass?: ReasonClass): OutcomeEvent => ({
    sessionId,
    type,
    occurredAt: new Date(atMs + afterMs).toISOString(),
    ...(reasonClass === undefined ? {} : { reasonClass }),
  });
  // Nobody reports on open links, and one study in ten is never reported on.
  if (supplier.id === 'open-link' || study.id.endsWith('0')) return [];
  const screened = random.weighted([
    ['dq', 14],
    ['quota', 5],
    ['left', 9],
    ['complete', 72],
  ] as const);
  if (screened === 'left') return [];
  if (screened !== 'complete') return [event('dq', hourMs / 6, random.chance(0.8) ? 'fit' : 'unknown')];
  const complete = event('complete', random.between(0.2, 2) * hourMs);
  const late = random.chance(0.35) ? endOfNextMonth(atMs) - atMs : Math.min(55, random.around(12, 0.6)) * dayMs;
  if (random.chance(truth.fraud ? (found[truth.label] ?? 0.28) : 0.007)) {
    const type = random.weighted<OutcomeType>([
      ['buyer_reject', 46],
      ['reconciliation', 38],
      ['ban', 7],
      ['herring_result', 9],
    ]);
    const reason = random.weighted<ReasonClass | undefined>([
      ['fraud', 68],
      ['quality', 17],
      [undefined, 15],
    ]);
    return [complete, event(type, type === 'herring_result' ? hourMs : late, reason)];
  }
  const hasty = (behavior.ms ?? 60_000) < study.questions * 3_500;
  if (hasty && random.chance(0.35)) return [event('speeder', hourMs / 4, 'quality')];
  return random.chance(0.015) ? [complete, event('quality_term', late, 'quality')] : [complete];
}

function endOfNextMonth(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 25, 12);
}
