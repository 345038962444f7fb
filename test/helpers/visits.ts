/**
 * Probes of automated set-ups and of honest people with unusual surroundings, as real browsers report them.
 */
import type { ProbeBody, ProbeTransport } from '../../src/contract/probe.js';
import type { ScoreFacts } from '../../src/contract/facts.js';
import { cleanFacts, humanBody, humanTransport, safariOnPhone } from './facts.js';

type Behavior = NonNullable<ProbeBody['beh']>;

const linuxChrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';
const headlessChrome = linuxChrome.replace('Chrome/', 'HeadlessChrome/');
const protocolAttached = { webdriver: false, globals: [], debugStack: true, debugGetter: true };

/** A driver’s clicks and keys through the debugging protocol. */
export const driverBehavior: Behavior = {
  ...humanBody().beh,
  moves: 12,
  interval: [10, 4, 3, 1, 9],
  coalesced: [12, 1, 0, 1, 1],
  clicks: 4,
  clickDwell: [4, 0.1, 0.05, 0, 0.3],
  clickSettle: [4, 1.2, 0.5, 0.6, 2.1],
  clickCentre: [4, 0.001, 0.001, 0, 0.004],
  keys: 24,
  keyDwell: [24, 1.1, 0.6, 0.2, 3],
  keyFlight: [23, 1.4, 0.7, 0.3, 4],
  straight: null,
  turn: null,
};

function visit(agent: string, groups: Partial<ProbeBody>, over: Partial<ScoreFacts> = {}): ScoreFacts {
  const body = humanBody({
    ua: { ua: agent, brands: null, mobile: false, platform: 'Linux' },
    hw: { cores: 4, memory: 8, touch: 0, platform: 'Linux x86_64' },
    ...groups,
  });
  const transport: ProbeTransport = { ...humanTransport, userAgent: agent, hintPlatform: '"Linux"' };
  return cleanFacts({ userAgent: agent, probe: { body, transport }, ...over });
}

/** Name of a set-up to its facts; those with `static` have no behaviour at all. */
export const automatedVisits: Readonly<Record<string, ScoreFacts>> = {
  'chromium headless, static': visit(headlessChrome, {
    gfx: { renderer: 'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device))' },
    beh: {},
  }),
  'playwright headless': visit(headlessChrome, {
    auto: { ...protocolAttached, webdriver: true },
    lies: ['frame.webdriver'],
    beh: driverBehavior,
  }),
  'playwright headless, static': visit(linuxChrome, {
    auto: { ...protocolAttached, webdriver: true },
    lies: ['frame.webdriver'],
    beh: {},
  }),
  'puppeteer headless': visit(headlessChrome, {
    auto: { ...protocolAttached, webdriver: true },
    beh: { ...driverBehavior, pressureZero: 4 },
  }),
  'puppeteer stealth, static': visit(linuxChrome, {
    auto: protocolAttached,
    lies: [
      'proxy.webdriver',
      'proxy.languages',
      'proxy.plugins',
      'proxy.hardwareConcurrency',
      'proxy.getParameter',
      'proxy.canPlayType',
      'proxy.query',
      'proxy.contentWindow',
      'worker.gpu',
      'worker.hardwareConcurrency',
      'worker.platform',
    ],
    beh: {},
  }),
  'puppeteer headful, flag removed': visit(linuxChrome, {
    auto: protocolAttached,
    beh: { ...driverBehavior, pressureZero: 4 },
  }),
  'playwright headful, flag removed': visit(linuxChrome, { auto: protocolAttached, beh: driverBehavior }),
  'synthetic DOM events': visit(linuxChrome, {
    auto: { webdriver: true, globals: [], debugStack: false, debugGetter: false },
    beh: { ms: 9_000, moves: 0, clicks: 8, clickBare: 8, untrusted: 16, keys: 0 },
  }),
  'synthetic DOM events, made by a script of the page': visit(linuxChrome, {
    beh: { ms: 9_000, moves: 0, clicks: 8, clickBare: 8, untrusted: 16, keys: 0 },
  }),
  'chromedriver, flag removed': visit(linuxChrome, {
    auto: { webdriver: false, globals: ['cdc_adoQpoasnfa76pfcZLmcfl_Array'] },
    beh: { ...driverBehavior, pressureZero: 4 },
  }),
  'chromedriver, static': visit(linuxChrome, {
    auto: { webdriver: true, globals: ['cdc_adoQpoasnfa76pfcZLmcfl_Array'] },
    beh: {},
  }),
  'xdotool robot': visit(linuxChrome, {
    beh: {
      ...humanBody().beh,
      moves: 14,
      interval: [8, 90, 60, 8, 200],
      clickSettle: [6, 3, 2, 1, 8],
      clickDwell: [6, 0.2, 0.1, 0, 0.6],
      keyDwell: [40, 6, 2, 2, 11],
      keyFlight: [39, 12, 3, 6, 20],
    },
  }),
};

export const touchBehavior: Behavior = {
  ms: 60_000,
  moves: 30,
  interval: [28, 17, 6, 8, 40],
  clicks: 10,
  clickDwell: [10, 68, 20, 30, 110],
  clickBare: 0,
  pressureZero: 0,
  keys: 20,
  keyNoCode: 0,
  keyDwell: [20, 1, 1, 0, 4],
  inputNoKey: 3,
  untrusted: 0,
  touches: 14,
  touchForce: [14, 0.4, 0.2, 0.1, 0.9],
  touchRadius: [14, 21, 4, 14, 30],
  motion: [300, 0.3, 0.2, 0, 1.4],
};

/** A person with a phone. */
export function phoneFacts(over: Partial<ScoreFacts> = {}): ScoreFacts {
  const body = humanBody({
    ua: { ua: safariOnPhone, brands: null, mobile: null, platform: null },
    hw: { cores: 6, memory: null, touch: 5, platform: 'iPhone' },
    scr: {
      w: 393,
      h: 852,
      availW: 393,
      availH: 852,
      outerW: 393,
      outerH: 852,
      innerW: 980,
      innerH: 1_700,
      dpr: 3,
      depth: 24,
    },
    gfx: { vendor: 'Apple Inc.', renderer: 'Apple GPU', canvas: 'bb00bb00', stable: true, audio: 124.08 },
    beh: touchBehavior,
  });
  return cleanFacts({
    userAgent: safariOnPhone,
    probe: {
      body,
      transport: { userAgent: safariOnPhone, acceptLanguage: 'de-DE,de;q=0.9', hintPlatform: null, hintMobile: null },
    },
    address: { family: 4, range: 'public', country: 'DE', asn: 3_209, network: 'mobile' },
    ...over,
  });
}
