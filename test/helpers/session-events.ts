/** Events of sessions for tests: a person who passed, and whatever a test needs to differ. */
import { blankPass, type VerificationEvent, type VerificationFacts } from '../../src/contract/session-event.js';
import { makeId } from '../../src/crypto/ids.js';

export const passedFacts: VerificationFacts = {
  ...blankPass,
  scores: { liveness: 0.93, uniqueness: 0.99, authenticity: 0.91, overall: 0.94 },
  respondent_id: 'resp-1',
  metadata: { wave: 3 },
  summary: 'A live, unique person.',
  durationMs: 8_200,
  device: 'desktop',
  browser: 'Chrome',
};

/** An event of a completed session; `facts` replaces what differs from a pass. */
export function verificationEvent(
  owner: { readonly organizationId: string; readonly projectId: string },
  facts: Partial<VerificationFacts> = {},
  envelope: Partial<Omit<VerificationEvent, 'data'>> = {},
): VerificationEvent {
  return {
    eventId: makeId('event'),
    type: 'verification.completed',
    organizationId: owner.organizationId,
    projectId: owner.projectId,
    sessionId: `sess_${makeId('event').slice(4)}`,
    isDemo: false,
    occurredAt: new Date().toISOString(),
    ...envelope,
    data: { ...passedFacts, ...facts },
  };
}
