/**
 * Facts of scoring for tests: a clean session to start from, and a person-like probe.
 */
import { calibrationDefaults } from '../../src/contract/calibration.js';
import type { CountFacts, ScoreFacts } from '../../src/contract/facts.js';
import {
  chromeOnWindows,
  firstVisit,
  personBehavior,
  personDevice,
  personTransport,
} from '../../src/contract/person-example.js';
import type { ProbeBody } from '../../src/contract/probe.js';

export { chromeOnWindows };
export const safariOnPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

export const scoredAtMs = Date.UTC(2026, 4, 4, 12);

/** Counts of a first visit with everything identified. */
export const cleanCounts = (over: Partial<CountFacts> = {}): CountFacts => ({ ...firstVisit, ...over });

/** A first visit by an ordinary respondent, without a probe: nothing at all speaks against it. */
export function cleanFacts(over: Partial<ScoreFacts> = {}): ScoreFacts {
  return {
    version: 1,
    receiptId: 'rcpt_0',
    scoredAtMs,
    sessionId: 'session-0',
    measured: true,
    calibration: calibrationDefaults,
    assuranceAvailable: 'can_step_up_to_biometric',
    userAgent: chromeOnWindows,
    declaredCountry: 'DE',
    respondentKnown: true,
    deviceKnown: true,
    respondentStats: null,
    address: { family: 4, range: 'public', country: 'DE', asn: 3320, network: 'residential' },
    probe: null,
    counts: cleanCounts(),
    history: { respondent: { n: 0, fraud: 0, confirmedClawbacks: 0 }, source: null, subSource: null },
    agent: null,
    degraded: [],
    ...over,
  };
}

/** A person with a mouse on a desktop, after some minutes on the page. */
export function humanBody(over: Partial<ProbeBody> = {}): ProbeBody {
  return {
    v: 1,
    sdk: '1.0.0',
    projectKey: 'pk_0',
    sessionId: 'session-0',
    nonce: 'nonce-00',
    seq: 2,
    phase: 'update',
    at: scoredAtMs,
    up: 90_000,
    ids: { token: 'token-0', kept: false },
    gaps: [],
    ...structuredClone(personDevice),
    // Not the documented person’s, whom no live session takes.
    beh: { ...structuredClone(personBehavior), ms: personBehavior.ms + 1 },
    ...over,
  };
}

export { personTransport as humanTransport };

/** The clean session with a person-like probe. */
export function humanFacts(over: Partial<ScoreFacts> = {}, body: Partial<ProbeBody> = {}): ScoreFacts {
  return cleanFacts({ probe: { body: humanBody(body), transport: personTransport }, ...over });
}
