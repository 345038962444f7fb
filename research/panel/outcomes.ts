/** Reports of a customer on a session: late, incomplete and sometimes wrong. */
import type { OutcomeEvent } from '../../src/contract/outcome.js';
import type { PanelRates } from './base-rates.js';
import type { Draw } from './draw.js';
import { dayMs } from './visits.js';

export function drawOutcomes(
  draw: Draw,
  rates: PanelRates,
  fraud: boolean,
  sessionId: string,
  atMs: number,
): OutcomeEvent[] {
  const at = (afterMs: number): string => new Date(Math.round(atMs + afterMs)).toISOString();
  // Screened out, over quota, or left.
  if (draw.chance(0.3))
    return draw.chance(0.5) ? [{ sessionId, type: 'dq', occurredAt: at(120_000), reasonClass: 'fit' }] : [];
  const complete: OutcomeEvent = { sessionId, type: 'complete', occurredAt: at(draw.between(60_000, 1_500_000)) };
  const rejected = draw.chance(fraud ? rates.fraudLabelled : rates.honestMislabelled);
  if (!rejected)
    return draw.chance(0.02)
      ? [complete, { sessionId, type: 'quality_term', occurredAt: at(dayMs), reasonClass: 'quality' }]
      : [complete];
  const afterMs = Math.min(55, 1 + draw.exponential(rates.reversalDays)) * dayMs;
  return [
    complete,
    draw.chance(0.75)
      ? { sessionId, type: 'buyer_reject', occurredAt: at(afterMs), reasonClass: 'fraud' }
      : {
          sessionId,
          type: 'reconciliation',
          occurredAt: at(afterMs),
          reasonClass: draw.chance(0.7) ? 'fraud' : 'unknown',
        },
  ];
}
