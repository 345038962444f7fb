/**
 * The recorded facts behind the fixed sessions of test and demo keys: a first visit of a person with a mouse on a desktop, and
 * what each session has otherwise. They go through the same rules as any other facts, so that the answers are what the rules in force say of them.
 */
import { calibrationDefaults } from '../../contract/calibration.js';
import type { ProbeRecord, ScoreFacts } from '../../contract/facts.js';
import {
  chromeOnWindows,
  firstVisit,
  personBehavior,
  personDevice,
  personTransport,
} from '../../contract/person-example.js';
import type { ProbeBody } from '../../contract/probe.js';

/** 2026-01-15 12:00 UTC. */
export const recordedAtMs = 1_768_478_400_000;

const personsBody: ProbeBody = {
  v: 1,
  sdk: '1.0.0',
  projectKey: 'pk_fixed',
  sessionId: 'test_allow',
  nonce: 'nonce-of-fixed',
  seq: 2,
  phase: 'update',
  at: recordedAtMs,
  up: 90_000,
  ids: { token: 'token-of-fixed', kept: false },
  gaps: [],
  ...personDevice,
  // In winter.
  loc: { ...personDevice.loc, offset: -60 },
  beh: personBehavior,
};

/** The person's page with something else about it. */
export function probeOf(over: Partial<ProbeBody> = {}): ProbeRecord {
  return { body: { ...personsBody, ...over }, transport: personTransport };
}

/** How the person's page was used, with something else about it. */
export const usageOf = (over: Partial<NonNullable<ProbeBody['beh']>>): Pick<ProbeBody, 'beh'> => ({
  beh: { ...personBehavior, ...over },
});

/** Nothing at all speaks against it. */
export const personsVisit: Omit<ScoreFacts, 'receiptId' | 'sessionId'> = {
  version: 1,
  scoredAtMs: recordedAtMs,
  measured: true,
  calibration: calibrationDefaults,
  assuranceAvailable: 'can_step_up_to_biometric',
  userAgent: chromeOnWindows,
  declaredCountry: 'DE',
  respondentKnown: true,
  deviceKnown: true,
  respondentStats: null,
  address: { family: 4, range: 'public', country: 'DE', asn: 3320, network: 'residential' },
  probe: probeOf(),
  counts: firstVisit,
  history: { respondent: { n: 0, fraud: 0, confirmedClawbacks: 0 }, source: null, subSource: null },
  agent: null,
  degraded: [],
};
