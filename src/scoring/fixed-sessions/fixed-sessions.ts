/**
 * Sessions with a fixed answer for test and demo keys, to try each verdict and error. Nothing of them is counted or stored: the rules in
 * force judge and render the facts recorded here.
 */
import { hash } from 'node:crypto';
import type { DataOwner } from '../../kernel/caller.js';
import { rateLimited } from '../../kernel/faults.js';
import { calibrationDefaults } from '../../contract/calibration.js';
import type { ProbeRecord, ScoreFacts } from '../../contract/facts.js';
import {
  chromeOnWindows,
  firstVisit,
  personBehavior,
  personDevice,
  personTransport,
} from '../../contract/person-example.js';
import { idAt } from '../../crypto/ids.js';
import { type Fault, storeUnavailable } from '../../errors.js';
import type { ProbeBody } from '../../contract/probe.js';

/** 2026-01-15 12:00 UTC. */
const recordedAtMs = 1_768_478_400_000;

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
function probeOf(over: Partial<ProbeBody> = {}): ProbeRecord {
  return { body: { ...personsBody, ...over }, transport: personTransport };
}

/** How the person's page was used, with something else about it. */
const usageOf = (over: Partial<NonNullable<ProbeBody['beh']>>): Pick<ProbeBody, 'beh'> => ({
  beh: { ...personBehavior, ...over },
});

/** Nothing at all speaks against it. */
const personsVisit: Omit<ScoreFacts, 'receiptId' | 'sessionId'> = {
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

/** The differences of each session from the person's first visit. */
const otherwise: Readonly<Record<string, Partial<ScoreFacts>>> = {
  test_allow: {},
  test_review: {
    probe: probeOf({ auto: { webdriver: true, globals: [], debugStack: false, debugGetter: false } }),
  },
  test_block: {
    address: { family: 4, range: 'public', country: 'DE', asn: 24940, network: 'hosting' },
    probe: probeOf({
      auto: { webdriver: true, globals: ['__playwright__binding__'], debugStack: false, debugGetter: false },
      ...usageOf({ clickBare: 9, untrusted: 30, inputNoKey: 12, keys: 0 }),
    }),
  },
  test_step_up: {
    calibration: { ...calibrationDefaults, stepUpEnabled: true },
    probe: probeOf({
      auto: { webdriver: false, globals: [], debugStack: true, debugGetter: true },
      lies: ['proxy.webdriver', 'proxy.languages'],
    }),
  },
  test_duplicate_confirmed: { counts: { ...firstVisit, deviceSessionsDay: 2, respondentDay: 2 } },
  test_probe_missing: { probe: null },
  test_verified_agent: {
    calibration: { ...calibrationDefaults, verifiedAgentPolicy: 'allow' },
    agent: { outcome: 'verified', agent: 'example-agent', reason: null },
  },
};

/** Seconds that test_rate_limited asks to wait. */
const waitSeconds = 2;

const factsById: ReadonlyMap<string, ScoreFacts> = new Map(
  Object.entries(otherwise).map(([sessionId, facts]) => {
    const receiptId = idAt('receipt', recordedAtMs, hash('sha256', sessionId, 'buffer'));
    return [sessionId, { ...personsVisit, ...facts, sessionId, receiptId }];
  }),
);
const factsByReceipt: ReadonlyMap<string, ScoreFacts> = new Map(
  [...factsById.values()].map((facts) => [facts.receiptId, facts]),
);

/** The facts of a fixed session, null for any other and every live key. Throws the faults of `test_rate_limited` and `test_unavailable`. */
export function fixedFactsOf(owner: DataOwner, sessionId: string, nowMs: number): ScoreFacts | null {
  if (!isTrying(owner)) return null;
  const fault = fixedFaultOf(sessionId, nowMs);
  if (fault !== null) throw fault;
  return factsById.get(sessionId) ?? null;
}

/** The facts behind the receipt of a fixed session; null for any other receipt, and for every live key. */
export function fixedReceiptOf(owner: DataOwner, receiptId: string): ScoreFacts | null {
  return isTrying(owner) ? (factsByReceipt.get(receiptId) ?? null) : null;
}

/** All ids that have a fixed answer with a test or demo key. */
export const fixedSessionIds: readonly string[] = [...factsById.keys(), 'test_rate_limited', 'test_unavailable'];
const fixed = new Set(fixedSessionIds);

export const isFixedSession = (sessionId: string): boolean => fixed.has(sessionId);

const isTrying = ({ isTest, isDemo }: DataOwner): boolean => isTest || isDemo;

function fixedFaultOf(sessionId: string, nowMs: number): Fault | null {
  if (sessionId === 'test_unavailable') return storeUnavailable('the fixed session test_unavailable was scored');
  if (sessionId !== 'test_rate_limited') return null;
  const resetAt = Math.ceil(nowMs / 1_000) + waitSeconds;
  // In whole seconds, so that Retry-After is the same whenever the call comes.
  return rateLimited('This key', {
    allowed: false,
    limit: 60,
    remaining: 0,
    used: 60,
    resetAt,
    resetInSeconds: waitSeconds,
  });
}
