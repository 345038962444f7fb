/**
 * Facts of scoring for tests: a clean session to start from, a person-like probe, and generators of any facts that the contract allows.
 */
import fc from 'fast-check';
import { calibrationDefaults, dispositiveSignals, type Calibration } from '../../src/contract/calibration.js';
import type {
  CountFacts,
  DeviceSketch,
  DuplicateCandidate,
  HistoryFacts,
  ScoreFacts,
} from '../../src/contract/facts.js';
import type { ProbeBody, ProbeTransport } from '../../src/contract/probe.js';
import { degradedSignals } from '../../src/contract/score.js';
import { components } from '../../workers/duplicates/components.js';

export const chromeOnWindows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';
export const safariOnPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

export const scoredAtMs = Date.UTC(2026, 4, 4, 12);

/** Counts of a first visit with everything identified. */
export function cleanCounts(over: Partial<CountFacts> = {}): CountFacts {
  return {
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
    ...over,
  };
}

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
    auto: { webdriver: false, globals: [], debugStack: false, debugGetter: false },
    lies: [],
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
      w: 1920,
      h: 1080,
      availW: 1920,
      availH: 1040,
      outerW: 1920,
      outerH: 1040,
      innerW: 1903,
      innerH: 940,
      dpr: 1,
      depth: 24,
    },
    loc: { zone: 'Europe/Berlin', offset: -120, language: 'de-DE', languages: ['de-DE', 'de', 'en'] },
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
      ms: 84_000,
      moves: 420,
      interval: [400, 18.2, 12.5, 6.9, 290],
      speed: [400, 0.8, 0.7, 0.01, 6],
      turn: [400, 0.3, 0.4, 0, 3.1],
      straight: 0.91,
      coalesced: [420, 2.3, 1.1, 1, 5],
      resolution: 0.1,
      fractional: 0,
      clicks: 9,
      clickDwell: [9, 78, 21, 44, 120],
      clickSettle: [9, 144, 60, 31, 260],
      clickCentre: [9, 0.34, 0.2, 0.05, 0.8],
      clickBare: 0,
      pressureZero: 0,
      keys: 40,
      keyDwell: [40, 92, 25, 40, 170],
      keyFlight: [39, 120, 90, -30, 700],
      keyNoCode: 0,
      inputNoKey: 0,
      wheels: 20,
      wheelLies: 0,
      scrolls: 40,
      touches: 0,
      touchForce: null,
      touchRadius: null,
      pastes: 0,
      pasteChars: 0,
      untrusted: 0,
      motion: null,
    },
    ...over,
  };
}

export const humanTransport: ProbeTransport = {
  userAgent: chromeOnWindows,
  acceptLanguage: 'de-DE,de;q=0.9,en;q=0.8',
  hintPlatform: '"Windows"',
  hintMobile: '?0',
};

/** The clean session with a person-like probe. */
export function humanFacts(over: Partial<ScoreFacts> = {}, body: Partial<ProbeBody> = {}): ScoreFacts {
  return cleanFacts({ probe: { body: humanBody(body), transport: humanTransport }, ...over });
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const nat = (max: number) => fc.nat({ max });
const sample = () =>
  maybe(
    fc.tuple(
      nat(500),
      fc.double({ min: 0, max: 500, noNaN: true }),
      fc.double({ min: 0, max: 200, noNaN: true }),
      fc.double({ min: 0, max: 50, noNaN: true }),
      fc.double({ min: 0, max: 900, noNaN: true }),
    ),
  );
const record = fc
  .tuple(fc.double({ min: 0, max: 300, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([n, share]) => ({ n, fraud: n * share }));

export const anyCalibration: fc.Arbitrary<Calibration> = fc
  .record({
    edges: fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 })),
    noProbeRiskScore: nat(100),
    stepUpEnabled: fc.boolean(),
    stepUpThreshold: nat(100),
    stepUpIntensityThreshold: nat(100),
    geoRiskWeights: fc.constantFrom<Record<string, number>>({}, { DE: 2 }, { DE: 0.5, US: 2 }),
    dispositiveSignals: fc.subarray([...dispositiveSignals]),
    newUserPosture: fc.constantFrom('neutral' as const, 'review_lean' as const),
    verifiedAgentPolicy: fc.constantFrom('score_normally' as const, 'allow' as const, 'review' as const),
  })
  .map(({ edges: [a, b], ...knobs }) => ({ ...knobs, reviewLow: Math.min(a, b), blockThreshold: Math.max(a, b) }));

const anySketch: fc.Arbitrary<DeviceSketch> = fc.record({
  terms: fc.array(maybe(fc.constantFrom('00000001', '00000002', '00000003')), {
    minLength: components.length,
    maxLength: components.length,
  }),
  osFamily: maybe(fc.constantFrom('windows', 'ios', 'android')),
  browser: maybe(fc.constantFrom('chrome', 'safari')),
  browserMajor: maybe(fc.integer({ min: 100, max: 150 })),
});

const anyCandidate: fc.Arbitrary<DuplicateCandidate> = fc.record({
  session: fc.constantFrom('a', 'b', 'c'),
  atMs: nat(100_000).map((back) => scoredAtMs - back),
  respondent: maybe(fc.constantFrom('r1', 'r2')),
  device: maybe(fc.constantFrom('d1', 'd2')),
  prefix: maybe(fc.constantFrom('p1', 'p2')),
  sketch: maybe(anySketch),
  via: fc.constantFrom('respondent' as const, 'device' as const, 'similar' as const),
});

const anyNeighborhood = fc.record({
  sessions: fc.integer({ min: 1, max: 500 }),
  direct: nat(50),
  linked: nat(64),
  prefixSessions: maybe(nat(500)),
  prefixSquares: nat(250_000),
  prefixes: nat(500),
});

/** What only duplication and independence read: repeats, candidates, likeness, the surroundings. */
export const anyDuplication = fc.record({
  deviceSessionsDay: maybe(nat(40)),
  respondentDay: maybe(nat(40)),
  respondentDevicesWeek: maybe(nat(20)),
  terms: maybe(
    fc.record({
      total: nat(5_000),
      counts: fc.array(maybe(nat(5_000)), { minLength: components.length, maxLength: components.length }),
    }),
  ),
  candidates: fc.array(anyCandidate, { maxLength: 8 }),
  neighborhood: anyNeighborhood,
});

export const anyCounts: fc.Arbitrary<CountFacts> = fc
  .tuple(
    anyDuplication,
    fc.record({
      deviceRespondentsDay: maybe(nat(12)),
      addressDevicesHour: maybe(nat(200)),
      addressRespondentsHour: maybe(nat(200)),
      addressSessionsHour: maybe(nat(400)),
      prefixSessionsHour: maybe(nat(900)),
      prefixSessionsDay: maybe(nat(5_000)),
      source: maybe(
        fc.record({
          hour: nat(500),
          mean: fc.double({ min: 0, max: 100, noNaN: true }),
          variance: fc.double({ min: 0, max: 1_000, noNaN: true }),
          hours: nat(400),
        }),
      ),
    }),
  )
  .map(([duplication, rates]) => ({ ...duplication, ...rates }));

const anyHistory: fc.Arbitrary<HistoryFacts> = fc.record({
  respondent: maybe(fc.tuple(record, nat(2)).map(([found, confirmedClawbacks]) => ({ ...found, confirmedClawbacks }))),
  source: maybe(record),
  subSource: maybe(record),
});

const agents = [
  chromeOnWindows,
  safariOnPhone,
  'curl/8.5.0',
  `${chromeOnWindows.replace('Chrome/', 'HeadlessChrome/')}`,
  '',
];
const globals = ['cdc_adoQpoasnfa76pfcZLmcfl_Array', '__playwright__binding__', '_phantom'];
const lies = [
  'proxy.webdriver',
  'proxy.toDataURL',
  'proxy.languages',
  'worker.gpu',
  'worker.userAgent',
  'frame.webdriver',
  'own.webdriver',
  'odd',
  'other.thing',
];

const flag = maybe(fc.boolean());
const anyBehavior = fc.record(
  {
    moves: maybe(nat(500)),
    interval: sample(),
    straight: maybe(fc.double({ min: 0, max: 1, noNaN: true })),
    turn: sample(),
    coalesced: sample(),
    clicks: maybe(nat(40)),
    clickDwell: sample(),
    clickSettle: sample(),
    clickCentre: sample(),
    clickBare: maybe(nat(5)),
    pressureZero: maybe(nat(5)),
    keys: maybe(nat(300)),
    keyDwell: sample(),
    keyFlight: sample(),
    keyNoCode: maybe(nat(300)),
    inputNoKey: maybe(nat(5)),
    wheels: maybe(nat(50)),
    wheelLies: maybe(nat(50)),
    touches: maybe(nat(20)),
    touchForce: sample(),
    touchRadius: sample(),
    pasteChars: maybe(nat(900)),
    untrusted: maybe(nat(50)),
    motion: sample(),
  },
  { requiredKeys: [] },
);

export const anyBody: fc.Arbitrary<ProbeBody> = fc
  .record(
    {
      auto: fc.record(
        { webdriver: flag, globals: maybe(fc.subarray(globals)), debugStack: flag, debugGetter: flag },
        { requiredKeys: [] },
      ),
      lies: fc.subarray(lies),
      ua: fc.record(
        {
          ua: maybe(fc.constantFrom(...agents)),
          platform: maybe(fc.constantFrom('Windows', 'iOS', 'Linux')),
          mobile: flag,
          model: maybe(fc.constantFrom('', 'SM-1')),
        },
        { requiredKeys: [] },
      ),
      hw: fc.record(
        {
          cores: maybe(nat(64)),
          touch: maybe(nat(10)),
          platform: maybe(fc.constantFrom('Win32', 'iPhone', 'Linux x86_64')),
        },
        { requiredKeys: [] },
      ),
      scr: fc.record(
        {
          w: maybe(nat(4_000)),
          h: maybe(nat(4_000)),
          outerW: maybe(nat(4_000)),
          outerH: maybe(nat(4_000)),
          innerW: maybe(nat(4_000)),
          innerH: maybe(nat(4_000)),
          dpr: maybe(fc.constantFrom(0.5, 1, 1.25, 2)),
        },
        { requiredKeys: [] },
      ),
      loc: fc.record(
        {
          zone: maybe(fc.constantFrom('Europe/Berlin', 'Asia/Tokyo', 'UTC', '')),
          languages: maybe(fc.subarray(['de-DE', 'en'])),
          language: maybe(fc.constantFrom('de', '')),
        },
        { requiredKeys: [] },
      ),
      gfx: fc.record(
        {
          renderer: maybe(fc.constantFrom('Google SwiftShader', 'Apple GPU')),
          canvas: maybe(fc.constantFrom('1', '2')),
          stable: flag,
        },
        { requiredKeys: [] },
      ),
      beh: anyBehavior,
      q: fc.array(
        fc.record({
          questionId: fc.constant('q'),
          timeOnQuestionMs: nat(60_000),
          mouseMoveCount: nat(9),
          keyCount: nat(9),
          pasteCount: nat(3),
          focusEntries: nat(3),
          focusExits: nat(3),
        }),
        { maxLength: 8 },
      ),
    },
    { requiredKeys: [] },
  )
  .map((groups) => ({
    v: 1,
    sdk: '1',
    projectKey: 'pk_0',
    sessionId: 'session-0',
    nonce: 'nonce-00',
    seq: 0,
    phase: 'load',
    at: 0,
    up: 0,
    ...groups,
  }));

const anyTransport: fc.Arbitrary<ProbeTransport> = fc.record({
  userAgent: maybe(fc.constantFrom(...agents)),
  acceptLanguage: maybe(fc.constantFrom('de,en;q=0.5', 'fr', '*', '')),
  hintPlatform: maybe(fc.constantFrom('"Windows"', '"Linux"', '')),
  hintMobile: maybe(fc.constantFrom('?0', '?1')),
});

/** Any facts that the contract allows. */
export const anyFacts: fc.Arbitrary<ScoreFacts> = fc
  .record({
    measured: fc.boolean(),
    calibration: fc.oneof(fc.constant(calibrationDefaults), anyCalibration),
    assuranceAvailable: fc.constantFrom('can_step_up_to_biometric' as const, 'none' as const),
    userAgent: maybe(fc.constantFrom(...agents)),
    declaredCountry: maybe(fc.constantFrom('DE', 'US', 'UK')),
    respondentKnown: fc.boolean(),
    deviceKnown: fc.boolean(),
    respondentStats: maybe(
      fc.constantFrom(
        { attempts: 9, completes: 6 },
        { attempts: 9, completes: 6, reconciliationRate: 0 },
        { attempts: 2, completes: 1, reconciliationRate: 1 },
      ),
    ),
    address: fc.record({
      family: fc.constantFrom(4 as const, 6 as const),
      range: fc.constantFrom('public' as const, 'private' as const),
      country: maybe(fc.constantFrom('DE', 'US', 'GB')),
      asn: maybe(nat(9_999)),
      network: maybe(
        fc.constantFrom(
          'residential' as const,
          'mobile' as const,
          'hosting' as const,
          'anonymous' as const,
          'education' as const,
          'business' as const,
        ),
      ),
    }),
    probe: maybe(fc.record({ body: anyBody, transport: anyTransport })),
    counts: maybe(anyCounts),
    history: maybe(anyHistory),
    agent: maybe(
      fc.record({
        outcome: fc.constantFrom('verified' as const, 'invalid' as const, 'unverified' as const),
        agent: maybe(fc.constant('agent.example')),
        reason: maybe(fc.constant('why.')),
      }),
    ),
    degraded: fc.subarray(degradedSignals.filter((code) => code !== 'client_probe_missing')),
  })
  .map((facts) => cleanFacts(facts.measured ? facts : { ...facts, counts: null, probe: null, history: null }));
