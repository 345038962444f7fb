/** The visitors of the survey: programs that drive the browser, programs outside an untouched browser, and profiles of people. */
import { byHand, type HandProfile } from './hands.js';
import { createPause } from './actor.js';
import { ghostActor, withFirefox, withPlaywright, withPuppeteer, withSelenium, type Run } from './drivers.js';
import { withProtocol, type Hand } from './protocol.js';

export type Kind = 'driven' | 'outside' | 'person';

export interface SetUp {
  readonly name: string;
  readonly kind: Kind;
  /** Set-ups that share what drives them: a figure without one family is measured by leaving all of it out. */
  readonly family: string;
  readonly run: Run;
}

const table = (kind: Kind, families: Readonly<Record<string, Readonly<Record<string, Run>>>>): SetUp[] =>
  Object.entries(families).flatMap(([family, runs]) =>
    Object.entries(runs).map(([name, run]) => ({ name, kind, family, run })),
  );

const careful = { pauseMs: 600, keyMs: 110, pressMs: 90 } as const;
const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/155.0.0.0 Safari/537.36';
/** The overrides that homemade scripts set. */
const getters =
  "Object.defineProperty(Navigator.prototype,'webdriver',{get:()=>false});Object.defineProperty(navigator,'platform',{get:()=>'Win32'})";
const stealth = 'puppeteer-extra-plugin-stealth';

const hand: Hand = { pauseMs: 600, path: 'curves', text: 'keys', force: 0.5, whole: true, shifts: true };

const driven = table('driven', {
  puppeteer: {
    'puppeteer, headless': withPuppeteer('puppeteer-core', { headless: true }),
    'puppeteer, window': withPuppeteer('puppeteer-core', {}),
    'puppeteer, window, with pauses': withPuppeteer('puppeteer-core', careful),
    'ghost-cursor over puppeteer': withPuppeteer('puppeteer-core', {
      pauseMs: 700,
      actor: ghostActor(createPause(90)),
    }),
  },
  stealth: {
    'puppeteer-extra stealth, headless': withPuppeteer('puppeteer-core', { headless: true, plugin: stealth }),
    'puppeteer-extra stealth, window, with pauses': withPuppeteer('puppeteer-core', { plugin: stealth, ...careful }),
    'puppeteer-extra stealth and ghost-cursor': withPuppeteer('puppeteer-core', {
      plugin: stealth,
      pauseMs: 700,
      actor: ghostActor(createPause(90)),
    }),
  },
  rebrowser: {
    'rebrowser puppeteer, window': withPuppeteer('rebrowser-puppeteer-core', {}),
    'rebrowser puppeteer and ghost-cursor': withPuppeteer('rebrowser-puppeteer-core', {
      pauseMs: 700,
      actor: ghostActor(createPause(90)),
    }),
  },
  playwright: {
    'playwright, headless': withPlaywright('playwright-core', { headless: true }),
    'playwright, window': withPlaywright('playwright-core', {}),
    'playwright, window, walking pointer and pauses': withPlaywright('playwright-core', { ...careful, walks: true }),
    'playwright, window, fills texts': withPlaywright('playwright-core', { ...careful, fills: true }),
    'playwright, another user agent': withPlaywright('playwright-core', {
      ...careful,
      context: { userAgent: windows },
    }),
    'playwright, getters replaced': withPlaywright('playwright-core', { ...careful, script: getters }),
    'playwright, another time zone': withPlaywright('playwright-core', {
      ...careful,
      walks: true,
      context: { timezoneId: 'America/New_York' },
    }),
  },
  mobile: {
    'playwright as an Android phone': withPlaywright('playwright-core', { ...careful, device: 'Pixel 7' }),
    'playwright as an iPhone': withPlaywright('playwright-core', { ...careful, device: 'iPhone 15' }),
  },
  patchright: {
    'patchright, headless': withPlaywright('patchright-core', { headless: true }),
    'patchright, window, with pauses': withPlaywright('patchright-core', careful),
    'patchright, window, walking pointer and pauses': withPlaywright('patchright-core', { ...careful, walks: true }),
  },
  selenium: {
    'selenium, headless': withSelenium({ headless: true }),
    'selenium, window': withSelenium({ pauseMs: 600 }),
    'chromedriver renamed (undetected)': withSelenium({ isRenamed: true, moves: true, pauseMs: 600 }),
  },
  firefox: {
    'Firefox by WebDriver BiDi, headless': withFirefox(true),
    'Firefox by WebDriver BiDi, window, with pauses': withFirefox(false, careful),
  },
  protocol: {
    'debugging port, jumps, inserted text': withProtocol({ ...hand, path: 'jumps', text: 'insert', force: undefined }),
    'debugging port, lines, no pressure': withProtocol({ ...hand, path: 'lines', force: undefined, shifts: false }),
    'debugging port, curves, fractions of pixels': withProtocol({ ...hand, whole: false }),
    'debugging port, curves, whole pixels': withProtocol(hand),
    'debugging port, curves, streamed moves': withProtocol({ ...hand, streams: true }),
    'debugging port, curves, streamed moves, pasted answers': withProtocol({ ...hand, streams: true, text: 'paste' }),
    'agent that reads the DOM, jumps, long pauses': withProtocol({ ...hand, path: 'jumps', pauseMs: 2_500 }),
    'debugging port, tap and scroll gestures': withProtocol({ ...hand, touch: true, text: 'insert' }),
  },
});

const outside = table('outside', {
  xdotool: {
    'xdotool, jumps, no dwell': byHand({ path: 'jump', pressMs: 0, keyMs: 6, pauseMs: 100, pace: 0.3 }),
    'xdotool, jumps, a person’s dwell': byHand({ path: 'jump', seed: 3 }),
    'xdotool, eased lines to centres': byHand({ path: 'eased', seed: 5 }),
  },
});

const person = (profile: HandProfile): Run => byHand(profile);

const people = table('person', {
  people: {
    'at a desk': person({ seed: 7 }),
    'at a desk, another hand': person({ seed: 19 }),
    slow: person({ seed: 23, pace: 1.7, pauseMs: 2_200 }),
    'fast, rolls keys': person({ seed: 29, pace: 0.75, pauseMs: 350, rolls: true }),
    'keyboard only': person({ seed: 31, keyboardOnly: true }),
    'keyboard with accessibility on, long pauses': person({
      seed: 37,
      keyboardOnly: true,
      pace: 1.5,
      pauseMs: 2_000,
      args: ['--force-renderer-accessibility'],
    }),
    'touchpad: taps, bursts of scrolling': person({ seed: 41, pressMs: 0, bursts: true }),
    'page zoomed in': person({ seed: 43, zooms: 2 }),
    'sharp screen': person({ seed: 47, args: ['--force-device-scale-factor=1.5'] }),
    'pastes one long answer': person({ seed: 53, pastes: true }),
    'developer tools open': person({ seed: 59, args: ['--auto-open-devtools-for-tabs'] }),
    'without WebGL and canvas reading': person({
      seed: 61,
      args: ['--disable-3d-apis', '--disable-reading-from-canvas'],
    }),
    'in Berlin, in German': person({
      seed: 67,
      environment: { TZ: 'Europe/Berlin', LANGUAGE: 'de' },
      args: ['--lang=de-DE'],
    }),
    'a wallet’s global': person({ seed: 83, address: '?wallet' }),
    'noise in drawings': person({ seed: 89, address: '?noise' }),
    'the probe twice in a page': person({ seed: 97, address: 'twice' }),
    'the page loaded again': person({ seed: 101, keysFirst: ['F5'] }),
    'another survey in a second tab': person({ seed: 103, hasOtherTab: true, keysFirst: ['ctrl+2'] }),
    'busy machine': person({ seed: 71, busy: 3 }),
    Firefox: person({ seed: 73, firefox: {} }),
    'Firefox without its PDF viewer': person({ seed: 109, firefox: { 'pdfjs.disabled': true } }),
    'Firefox, fingerprinting protection': person({ seed: 113, firefox: { 'privacy.fingerprintingProtection': true } }),
    'Firefox, resistFingerprinting': person({ seed: 79, firefox: { 'privacy.resistFingerprinting': true } }),
  },
});

export const setUps: readonly SetUp[] = [...driven, ...outside, ...people];
