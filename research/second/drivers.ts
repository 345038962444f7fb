/**
 * How machines use a page: what drivers, input injectors and agents leave behind, as measured in automated browsers (docs/reference/probe.md), by
 * studies of agents (FP-Agent 2026: typing by insertion or at an even pace, pointers that jump, long pauses between actions), and as the
 * documentation of these tools says.
 */
import type { Engine } from './agents.js';
import { untouched, type Behavior } from './hands.js';
import type { ProbeBody } from '../../src/contract/probe.js';
import { round, sampleOf, type Random } from './random.js';

export type Driver =
  | 'playwright'
  | 'puppeteer'
  | 'selenium'
  | 'curves'
  | 'desktop'
  | 'injected_touch'
  | 'agent_insert'
  | 'agent_keys'
  | 'page_script';

export interface Traces {
  readonly auto: NonNullable<ProbeBody['auto']>;
  readonly lies: string[];
  readonly gaps?: string[];
}

/** Engines other than Blink have no trace of a debugger to look for. */
export const clean = (engine: Engine): Traces => {
  const debugged = engine === 'blink' ? false : null;
  return { auto: { webdriver: false, globals: [], debugStack: debugged, debugGetter: debugged }, lies: [] };
};

/** Skill from 0 to 1 makes the timing more like a person’s. */
export function useDriver(random: Random, driver: Driver, skill: number, questions: number, seconds: number): Behavior {
  const base = untouched(seconds * 1_000);
  const clicks = Math.max(1, Math.round(questions * random.between(1, 1.6)));
  const words = random.chance(0.6) ? random.int(8, 160) : 0;
  switch (driver) {
    case 'playwright':
    case 'puppeteer':
    case 'selenium':
      return {
        ...base,
        ...presses(random, clicks, { dwell: skill > 0.5 ? [40, 0.3] : [1.2, 0.5], settle: [0.4, 0.5], centre: 0 }),
        moves: clicks,
        coalesced: sampleOf(clicks, () => 1),
        interval: null,
        pressureZero: driver === 'playwright' ? 0 : clicks,
        scrolls: clicks,
        ...(skill > 0.3
          ? keys(random, words, skill > 0.6 ? [60, 0.2] : [2.5, 0.4], skill > 0.6 ? [90, 0.25] : [1.5, 0.6])
          : {}),
      };
    case 'curves':
      return {
        ...base,
        ...curve(random, clicks, skill),
        ...keys(random, words, [random.between(40, 95), 0.25], [random.between(70, 160), 0.3]),
      };
    case 'desktop':
      return {
        ...base,
        ...curve(random, clicks, skill),
        coalesced: sampleOf(clicks * 20, () => random.int(1, 3)),
        pressureZero: 0,
        wheels: questions * 3,
        ...keys(random, words, [random.between(5, 60), 0.15], [random.between(30, 140), 0.2]),
      };
    case 'injected_touch':
      return {
        ...base,
        ...injectedTouch(random, clicks, questions, skill),
        inputNoKey: words > 0 ? random.int(1, 3) : 0,
      };
    case 'agent_insert':
    case 'agent_keys':
      return {
        ...base,
        ...presses(random, clicks, {
          dwell: [random.pick([1, 4, 50, 80]), 0.2],
          settle: [random.pick([0.3, 12, 60]), 0.4],
          centre: 0.04,
        }),
        moves: Math.round(clicks * random.between(0.6, 1.2)),
        coalesced: sampleOf(clicks, () => 1),
        pressureZero: random.chance(0.6) ? clicks : 0,
        scrolls: questions * 2,
        wheels: random.chance(0.5) ? questions : 0,
        ...(driver === 'agent_insert'
          ? { inputNoKey: words > 0 ? random.int(1, 5) : 0 }
          : keys(random, words, [random.pick([1, 3, 40]), 0.2], [random.pick([8, 25, 50]), 0.15])),
      };
    case 'page_script':
      return { ...base, clicks, clickBare: clicks, untrusted: clicks * random.int(1, 5), scrolls: questions };
  }
}

type Spread = readonly [median: number, sigma: number];

const presses = (
  random: Random,
  n: number,
  { dwell, settle, centre }: { dwell: Spread; settle: Spread; centre: number },
): Partial<Behavior> => ({
  clicks: n,
  clickDwell: sampleOf(n, () => random.around(...dwell)),
  clickSettle: sampleOf(n, () => random.around(...settle)),
  clickCentre: sampleOf(n, () => Math.min(1, Math.abs(random.normal(0, centre)))),
});

const keys = (random: Random, n: number, dwell: Spread, flight: Spread): Partial<Behavior> => ({
  keys: n,
  keyDwell: sampleOf(n, () => random.around(...dwell)),
  keyFlight: sampleOf(n - 1, () => random.around(...flight)),
});

/** Through the debugging bridge of Android: straight, even, and on a phone that lies still. */
function injectedTouch(random: Random, clicks: number, questions: number, skill: number): Partial<Behavior> {
  return {
    clicks,
    touches: clicks + questions,
    moves: questions * 4,
    clickDwell: sampleOf(clicks, () => random.around(skill > 0.5 ? 60 : 12, 0.25)),
    clickCentre: sampleOf(clicks, () => Math.abs(random.normal(0, skill > 0.5 ? 0.25 : 0.03))),
    touchForce: sampleOf(clicks, () => 1),
    touchRadius: sampleOf(clicks, () => (skill > 0.7 ? random.around(14, 0.2) : 0.5)),
    scrolls: questions * 6,
    straight: 1,
    interval: sampleOf(questions * 4, () => random.normal(16.7, 0.4)),
    motion: sampleOf(questions * 300, () => random.around(0.012, 0.4)),
  };
}

/** Computed curves: an even rhythm, one event a move, and better with skill. */
function curve(random: Random, clicks: number, skill: number): Partial<Behavior> {
  const moves = clicks * random.int(18, 45);
  return {
    ...presses(random, clicks, {
      dwell: [random.between(45, 110), 0.15 + skill / 5],
      settle: [random.between(20, 160), 0.3 + skill / 2],
      centre: 0.05 + skill / 4,
    }),
    moves,
    interval: sampleOf(moves, () => random.around(skill > 0.6 ? 16.7 : 10, 0.1 + skill / 4)),
    turn: sampleOf(moves, () => Math.abs(random.normal(0, 0.06 + skill / 6))),
    straight: round(random.between(0.88, 0.97)),
    coalesced: sampleOf(moves, () => 1),
    pressureZero: skill > 0.8 ? 0 : clicks,
    wheels: Math.round(clicks * skill * 3),
    scrolls: clicks * 2,
  };
}

/** Traces of a driver in the browser itself. */
export function tracesOf(
  random: Random,
  tool: 'stock' | 'hidden' | 'patched' | 'antidetect' | 'agent' | 'extension',
  skill: number,
): Traces {
  const debugged = { debugStack: true, debugGetter: true };
  switch (tool) {
    case 'stock':
      return {
        auto: {
          webdriver: true,
          globals: random.chance(0.3)
            ? [random.pick(['cdc_adoQpoasnfa76pfcZLmcfl_Array', '__playwright__binding__'])]
            : [],
          ...debugged,
        },
        lies: random.chance(0.4) ? ['frame.webdriver'] : [],
      };
    case 'hidden':
      return {
        auto: { webdriver: false, globals: [], ...debugged },
        lies: random.chance(0.5 - skill / 2) ? ['own.webdriver'] : [],
      };
    case 'patched':
      return {
        auto: {
          webdriver: false,
          globals: [],
          debugStack: random.chance(0.5 - skill / 2),
          debugGetter: random.chance(0.5 - skill / 2),
        },
        lies: random.chance(0.7 - skill * 0.6)
          ? random.pick([
              ['proxy.webdriver', 'proxy.WebGLRenderingContext.getParameter'],
              ['worker.gpu', 'worker.hardwareConcurrency'],
              ['proxy.languages', 'worker.languages', 'worker.platform'],
              ['proxy.Function.toString'],
            ])
          : [],
      };
    case 'antidetect':
      return {
        ...clean('blink'),
        lies: random.chance(0.16)
          ? random.pick([['worker.gpu'], ['worker.timeZone'], ['worker.hardwareConcurrency', 'frame.deviceMemory']])
          : [],
      };
    case 'agent':
      return {
        auto: {
          webdriver: random.chance(0.12),
          globals: random.chance(0.08) ? ['__browser_use_highlight'] : [],
          ...(random.chance(0.65) ? debugged : { debugStack: false, debugGetter: false }),
        },
        lies: [],
      };
    case 'extension':
      return { ...clean('blink'), lies: random.chance(0.1) ? ['own.userAgent'] : [] };
  }
}
