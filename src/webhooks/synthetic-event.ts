/** The event of a test delivery: a pass that nobody took part in, in full, so that a receiver sees every field it will meet. */
import { blankPass } from '../contract/blank-pass.js';
import type { VerificationEvent } from '../contract/session-event.js';
import { idPrefixes, makeId } from '../crypto/ids.js';
import type { WebhookOwner } from './webhook-store.js';

export function syntheticEvent({ organizationId, projectId }: WebhookOwner, nowMs: number): VerificationEvent {
  const eventId = makeId('event');
  return {
    eventId,
    type: 'verification.completed',
    organizationId,
    projectId,
    sessionId: `sess_test_${eventId.slice(idPrefixes.event.length)}`,
    isDemo: true,
    occurredAt: new Date(nowMs).toISOString(),
    data: {
      ...blankPass,
      scores: { liveness: 0.94, uniqueness: 0.98, authenticity: 0.92, overall: 0.95 },
      respondent_id: 'test-respondent',
      metadata: { test: true },
      summary: 'A test delivery: nobody was verified.',
    },
  };
}
