/**
 * Generators of any facts that the contract allows, for property tests.
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
import { components } from '../../workers/duplicates/sketch.js';
import { chromeOnWindows, cleanFacts, safariOnPhone, scoredAtMs } from './facts.js';

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
  token: maybe(fc.constantFrom('t1', 't2')),
  address: maybe(fc.constantFrom('a1', 'a2')),
  sketch: maybe(anySketch),
  via: fc.constantFrom('respondent' as const, 'device' as const, 'similar' as const),
  isRepeat: fc.boolean(),
});

const anyNeighborhood = fc.record({
  sessions: fc.integer({ min: 1, max: 500 }),
  direct: nat(50),
  linked: nat(64),
  prefixSessions: maybe(nat(500)),
  prefixSquares: nat(250_000),
  prefixes: nat(500),
});

/** Only duplication and independence read these: repeats, candidates, likeness, the surroundings. */
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

const anyCounts: fc.Arbitrary<CountFacts> = fc
  .tuple(
    anyDuplication,
    fc.record({
      deviceRespondentsDay: maybe(nat(12)),
      addressDevicesHour: maybe(nat(200)),
      addressRespondentsHour: maybe(nat(200)),
      addressSessionsHour: maybe(nat(400)),
      prefixSessionsHour: maybe(nat(900)),
      prefixSessionsDay: maybe(nat(5_000)),
      sharedAddressHour: maybe(nat(900)),
      sharedAddressDay: maybe(nat(5_000)),
      hostPeopleHour: maybe(nat(60)),
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
    deviceHashed: fc.boolean(),
    token: maybe(fc.constantFrom('t1', 't2')),
    ownAddress: maybe(fc.constantFrom('a1', 'a2')),
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
    // The core itself says what is missing of the probe.
    degraded: fc.subarray(degradedSignals.filter((code) => !code.includes('probe_'))),
  })
  .map((facts) => cleanFacts(facts.measured ? facts : { ...facts, counts: null, probe: null, history: null }));
