/**
 * The recorded facts behind the fixed sessions of test and demo keys: a first visit of a person with a mouse on a desktop, and
 * what each session has otherwise. They go through the same rules as any other facts, so that the answers are what the rules in force say of them.
 */
import { calibrationDefaults } from '../../contract/calibration.js';
import type { CountFacts, ProbeRecord, ScoreFacts } from '../../contract/facts.js';
import type { ProbeBody } from '../../contract/probe.js';

/** 2026-01-15 12:00 UTC. */
export const recordedAtMs = 1_768_478_400_000;

const chromeOnWindows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';

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
  auto: { webdriver: false, globals: [], debugStack: false, debugGetter: false },
  lies: [],
  gaps: [],
  ua: {
    ua: chromeOnWindows,
    brands: ['Chromium;149', 'Google Chrome;149'],
    mobile: false,
    platform: 'Windows',
    platformVersion: '15.0.0',
    model: '',
    arch: 'x86',
  },
  hw: { cores: 8, memory: 8, touch: 0, platform: 'Win32' },
  scr: {
    ...{ w: 1920, h: 1080, availW: 1920, availH: 1040, outerW: 1920, outerH: 1040, innerW: 1903, innerH: 940 },
    dpr: 1,
    depth: 24,
  },
  loc: { zone: 'Europe/Berlin', offset: -60, language: 'de-DE', languages: ['de-DE', 'de', 'en'] },
  gfx: {
    vendor: 'Google Inc. (Intel)',
    renderer: 'ANGLE (Intel, Intel(R) UHD Graphics 630, D3D11)',
    canvas: 'a1b2c3d4',
    stable: true,
    audio: 124.043,
  },
  env: { fonts: 'f0f1f2f3', plugins: 5, pdf: true, cookies: true, storage: true },
  page: { framed: false, hidden: false, hiddenMs: 0, blurs: 1 },
  beh: {
    ...{ ms: 84_000, moves: 420, straight: 0.91, resolution: 0.1, fractional: 0 },
    interval: [400, 18.2, 12.5, 6.9, 290],
    speed: [400, 0.8, 0.7, 0.01, 6],
    turn: [400, 0.3, 0.4, 0, 3.1],
    coalesced: [420, 2.3, 1.1, 1, 5],
    ...{ clicks: 9, clickBare: 0, pressureZero: 0 },
    clickDwell: [9, 78, 21, 44, 120],
    clickSettle: [9, 144, 60, 31, 260],
    clickCentre: [9, 0.34, 0.2, 0.05, 0.8],
    ...{ keys: 40, keyNoCode: 0, inputNoKey: 0 },
    keyDwell: [40, 92, 25, 40, 170],
    keyFlight: [39, 120, 90, -30, 700],
    ...{ wheels: 20, wheelLies: 0, scrolls: 40, touches: 0, touchForce: null, touchRadius: null },
    ...{ pastes: 0, pasteChars: 0, untrusted: 0, motion: null },
  },
};

/** The person's page with something else about it. */
export function probeOf(over: Partial<ProbeBody> = {}): ProbeRecord {
  return {
    body: { ...personsBody, ...over },
    transport: {
      userAgent: chromeOnWindows,
      acceptLanguage: 'de-DE,de;q=0.9,en;q=0.8',
      hintPlatform: '"Windows"',
      hintMobile: '?0',
    },
  };
}

/** How the person's page was used, with something else about it. */
export const usageOf = (over: Partial<NonNullable<ProbeBody['beh']>>): Pick<ProbeBody, 'beh'> => ({
  beh: { ...personsBody.beh, ...over },
});

export const firstVisit: CountFacts = {
  deviceSessionsDay: 1,
  deviceRespondentsDay: 1,
  respondentDay: 1,
  respondentDevicesWeek: 1,
  addressDevicesHour: 1,
  addressRespondentsHour: 1,
  addressSessionsHour: 1,
  prefixSessionsHour: 1,
  prefixSessionsDay: 1,
  source: null,
  terms: null,
  candidates: [],
  neighborhood: { sessions: 1, direct: 0, linked: 0, prefixSessions: 1, prefixSquares: 1, prefixes: 1 },
};

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
