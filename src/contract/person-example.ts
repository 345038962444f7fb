/** A person with a mouse on a desktop, as the probe measures one: for examples, fixed sessions of test keys, and tests. */
import type { CountFacts } from './facts.js';
import type { ProbeBody, ProbeTransport } from './probe.js';

export const chromeOnWindows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';

export const personDevice = {
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
} satisfies Partial<ProbeBody>;

export const personBehavior = {
  ms: 84_000,
  moves: 420,
  interval: [400, 18.2, 12.5, 6.9, 290],
  turn: [400, 0.3, 0.4, 0, 3.1],
  straight: 0.91,
  coalesced: [420, 2.3, 1.1, 1, 5],
  fineTimes: 400,
  subpixel: 0,
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
  keyFineTimes: 0,
  keyNoShift: 0,
  inputNoKey: 0,
  wheels: 20,
  wheelTicks: 20,
  wheelLies: 0,
  scrolls: 160,
  touches: 0,
  touchForce: null,
  touchRadius: null,
  pastes: 0,
  pasteChars: 0,
  untrusted: 0,
  motion: null,
} satisfies ProbeBody['beh'];

export const personTransport: ProbeTransport = {
  userAgent: chromeOnWindows,
  acceptLanguage: 'de-DE,de;q=0.9,en;q=0.8',
  hintPlatform: '"Windows"',
  hintMobile: '?0',
};

/** Counts of a first visit with everything identified. */
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
