/**
 * How people use a page: with a mouse, a touchpad, a phone, a keyboard or a screen reader. Each session draws its own habits, then its samples.
 * Rates are invented.
 */
import type { ProbeBody, QuestionSnapshot } from '../../src/contract/probe.js';
import type { Draw } from './draw.js';

export type Behavior = NonNullable<ProbeBody['beh']>;
type Sample = readonly [number, number, number, number, number];

const round = (value: number): number => Math.round(value * 1_000) / 1_000;

/** Statistics of `count` draws around a mean, skewed to the right; none for an empty sample. */
export function sampleOf(draw: Draw, count: number, mean: number, deviation: number, floor = 0): Sample | null {
  if (count < 1) return null;
  const noise = deviation / Math.sqrt(count);
  const observed = Math.max(floor, draw.normal(mean, noise));
  // So few values reach so far, whatever they scatter, and none below the floor.
  const reach = Math.min(Math.sqrt(2 * Math.log(count + 1)), Math.sqrt(count / 2));
  const below = Math.min(1.6, reach);
  const drawn = count === 1 ? 0 : Math.max(0, deviation * draw.between(0.7, 1.3));
  const spread = Math.min(drawn, (observed - floor) / (count < 5 ? below : 0.7));
  const [least, most] = count === 1 ? [observed, observed] : [observed - spread * below, observed + spread * reach];
  return [count, ...[observed, spread, Math.max(floor, least), most].map(round)] as unknown as Sample;
}

export const nothing: Behavior = {
  moves: 0,
  interval: null,
  turn: null,
  straight: null,
  coalesced: null,
  clicks: 0,
  clickDwell: null,
  clickSettle: null,
  clickCentre: null,
  clickBare: 0,
  pressureZero: 0,
  keys: 0,
  keyDwell: null,
  keyFlight: null,
  keyNoCode: 0,
  inputNoKey: 0,
  wheels: 0,
  wheelLies: 0,
  scrolls: 0,
  touches: 0,
  touchForce: null,
  touchRadius: null,
  pastes: 0,
  pasteChars: 0,
  untrusted: 0,
  motion: null,
};

/** A few events that scripts of the page itself make, on some surveys. */
const ofThePage = (draw: Draw): number => (draw.chance(0.09) ? draw.whole(1, 4) : 0);

const secondsOn = (draw: Draw): number => draw.lognormal(150, 0.6);

function typed(draw: Draw, keys: number, skill = draw.lognormal(1, 0.3)): Partial<Behavior> {
  if (keys === 0) return {};
  return {
    keys,
    keyDwell: sampleOf(draw, keys, draw.lognormal(92, 0.22), draw.lognormal(26, 0.35), 12),
    keyFlight: sampleOf(draw, keys - 1, 120 * skill, draw.lognormal(95, 0.5), -60),
  };
}

export function byMouse(draw: Draw, coalescing: boolean): Behavior {
  const moves = Math.round(draw.lognormal(260, 0.7));
  const clicks = draw.whole(4, 22);
  const touchpad = draw.chance(0.42);
  const taps = touchpad && draw.chance(0.45);
  const interval = draw.lognormal(15, 0.3);
  const pastes = draw.chance(0.07) ? 1 : 0;
  return {
    ...nothing,
    ms: Math.round(1_000 * secondsOn(draw)),
    moves,
    interval: sampleOf(draw, moves, interval, interval * draw.lognormal(0.75, 0.5), 1),
    turn: sampleOf(draw, moves, draw.lognormal(0.3, 0.35), 0.4),
    straight: round(Math.min(0.998, 1 - draw.lognormal(0.08, 0.7))),
    coalesced: sampleOf(
      draw,
      moves,
      coalescing && !draw.chance(0.06) ? draw.between(1.2, 3) : 1,
      coalescing ? 0.8 : 0,
      1,
    ),
    clicks,
    clickDwell: sampleOf(draw, clicks, taps ? draw.between(0, 3) : draw.lognormal(84, 0.3), taps ? 1 : 22),
    clickSettle: sampleOf(draw, clicks, draw.lognormal(140, 0.5), 70),
    clickCentre: sampleOf(draw, clicks, draw.between(0.2, 0.5), 0.17),
    clickBare: draw.chance(0.04) ? 1 : 0,
    pressureZero: draw.chance(0.006) ? 1 : 0,
    ...typed(draw, draw.chance(0.8) ? Math.round(draw.lognormal(35, 0.9)) : 0),
    inputNoKey: draw.chance(0.06) ? draw.whole(1, 3) : 0,
    wheels: touchpad ? draw.whole(10, 90) : draw.whole(0, 30),
    wheelLies: draw.chance(0.01) ? draw.whole(1, 30) : 0,
    scrolls: draw.whole(5, 60),
    pastes,
    pasteChars: pastes * Math.round(draw.lognormal(90, 1)),
    untrusted: ofThePage(draw),
  };
}

export function byTouch(draw: Draw): Behavior {
  const touches = draw.whole(5, 40);
  const still = draw.chance(0.12);
  const flat = draw.chance(0.2);
  return {
    ...nothing,
    ms: Math.round(1_000 * secondsOn(draw)),
    moves: draw.whole(0, 80),
    clicks: Math.ceil(touches * 0.6),
    clickDwell: sampleOf(draw, Math.ceil(touches * 0.6), draw.lognormal(70, 0.3), 22),
    ...typed(draw, draw.chance(0.5) ? draw.whole(3, 60) : 0),
    keyDwell: null,
    inputNoKey: draw.chance(0.35) ? draw.whole(1, 12) : 0,
    scrolls: draw.whole(5, 80),
    touches,
    touchForce: sampleOf(draw, touches, flat ? 1 : draw.between(0.1, 0.6), flat ? 0 : 0.15),
    touchRadius: sampleOf(
      draw,
      touches,
      flat && draw.chance(0.3) ? 1 : draw.between(12, 26),
      flat ? draw.pick([0, 0, 2]) : 4,
    ),
    motion: still || draw.chance(0.35) ? null : sampleOf(draw, 200, draw.between(0.1, 0.6), 0.2),
    untrusted: ofThePage(draw),
  };
}

/** Keyboards and screen readers: clicks without a pointer, keys without codes, text from dictation. */
export function byKeyboard(draw: Draw, reader: boolean): Behavior {
  const clicks = draw.whole(4, 18);
  return {
    ...nothing,
    ms: Math.round(2_000 * secondsOn(draw)),
    moves: draw.chance(0.5) ? draw.whole(0, 40) : 0,
    clicks,
    clickBare: draw.chance(0.85) ? clicks : draw.whole(0, clicks),
    ...typed(draw, reader && draw.chance(0.4) ? draw.whole(0, 6) : draw.whole(20, 160)),
    keyNoCode: draw.chance(reader ? 0.2 : 0.03) ? draw.whole(1, 20) : 0,
    inputNoKey: draw.chance(reader ? 0.5 : 0.08) ? draw.whole(1, 8) : 0,
    untrusted: ofThePage(draw),
    scrolls: draw.whole(0, 30),
  };
}

/** Questions of a page, at a pace: seconds a question, and how much it varies from one to the next. */
export function answerQuestions(
  draw: Draw,
  { count, seconds, sigma }: { count: number; seconds: number; sigma: number },
  beh: Behavior,
): QuestionSnapshot[] {
  const moves = (beh.moves ?? 0) / count;
  const keys = (beh.keys ?? 0) / count;
  const leaves = draw.chance(0.25);
  return Array.from({ length: count }, (_, question) => ({
    questionId: `q${question + 1}`,
    timeOnQuestionMs: Math.max(150, Math.round(1_000 * draw.lognormal(seconds, sigma))),
    mouseMoveCount: draw.poisson(moves),
    keyCount: draw.poisson(keys),
    pasteCount: 0,
    focusEntries: 1,
    focusExits: leaves && draw.chance(0.2) ? 1 : 0,
    ended: true,
  }));
}
