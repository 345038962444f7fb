/**
 * How people point, press and type. Typing follows 136 million keystrokes of 168,000 people (Dhakal et al. 2018: 239 ms between keys, held for
 * 116 ms, rollover common, lognormal shapes); answers take 10.3 s on average (TurkPrime 2015), on phones 1.3 times as long (LISS crossover).
 * On-screen keyboards release a key as they press it, Android names no key, and iOS completes words without one.
 */
import type { ProbeBody } from '../../src/contract/probe.js';
import { isPhone, isTouch } from './agents.js';
import type { Machine } from './machines.js';
import { round, sampleOf, type Random } from './random.js';

export type Behavior = NonNullable<ProbeBody['beh']>;
export type Means = 'pointer' | 'touch' | 'keyboard' | 'screen_reader' | 'voice' | 'remote';

export interface Hands {
  readonly means: Means;
  /** Seconds a question of ordinary length. */
  readonly pace: number;
  readonly keyGap: number;
  readonly keyHold: number;
  readonly pressMs: number;
  readonly pointerSpeed: number;
  /** Times a second that the mouse reports. */
  readonly mouseHz: number;
  /** Answers with words, and pastes or completes them. */
  readonly wordy: number;
  readonly motion: number;
}

const slowness: Readonly<Partial<Record<Means, number>>> = { touch: 1.25, screen_reader: 2.6, voice: 1.8 };

export function drawHands(random: Random, means: Means): Hands {
  return {
    means,
    pace: random.around(9.3, 0.33) * (slowness[means] ?? 1),
    keyGap: random.around(118, 0.45),
    keyHold: random.around(112, 0.2),
    pressMs: means === 'touch' ? random.around(78, 0.25) : random.around(92, 0.28),
    pointerSpeed: random.around(0.75, 0.35),
    mouseHz: random.weighted([
      [125, 55],
      [90, 25],
      [250, 5],
      [500, 6],
      [1_000, 9],
    ]),
    wordy: random.chance(0.5) ? random.around(40, 1) : 0,
    motion: random.around(0.16, 0.7),
  };
}

export interface Sitting {
  readonly questions: number;
  readonly seconds: number;
  /** The page may read the motion of the device. */
  readonly framed: boolean;
}

const none: Behavior = {
  ms: 0,
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
export const untouched = (ms: number): Behavior => ({ ...none, ms: Math.round(ms) });

/** Behavior of a person in a sitting. */
export function useHands(random: Random, hands: Hands, machine: Machine, sitting: Sitting): Behavior {
  const { questions, seconds } = sitting;
  const base = { ...none, ms: Math.round(seconds * 1_000), ...typing(random, hands, machine, questions) };
  const clicks = Math.max(0, Math.round(questions * random.around(1.7, 0.3)));
  if (hands.means === 'screen_reader' || hands.means === 'voice')
    return { ...base, ...assisted(random, hands, machine, clicks) };
  if (hands.means === 'keyboard')
    return {
      ...base,
      clicks,
      keys: (base.keys ?? 0) + clicks * random.int(2, 4),
      keyDwell: held(random, hands, clicks * 3),
      scrolls: questions * random.int(0, 3),
    };
  if (hands.means === 'touch') return { ...base, ...touching(random, hands, machine, sitting, clicks) };
  return { ...base, ...pointing(random, hands, machine, questions, clicks) };
}

function pointing(
  random: Random,
  hands: Hands,
  machine: Machine,
  questions: number,
  clicks: number,
): Partial<Behavior> {
  const remote = hands.means === 'remote';
  const moves = Math.round(clicks * random.around(remote ? 22 : 48, 0.5));
  const frameMs = 1_000 / (remote ? random.pick([15, 30, 30]) : machine.refreshHz);
  const merges = machine.browser !== 'safari';
  const perFrame = remote ? 1.05 : Math.max(1, Math.min(12, (hands.mouseHz * frameMs) / 1_000));
  const wheels = random.chance(0.82) ? Math.round(questions * random.around(6, 0.8)) : 0;
  return {
    moves,
    interval: sampleOf(moves, () => frameMs * (random.chance(0.8) ? 1 : random.int(1, 7)) + random.normal(0, 0.6)),
    turn: sampleOf(moves, () => Math.min(Math.PI, Math.abs(random.normal(0, random.chance(0.12) ? 1.3 : 0.33)))),
    straight: round(Math.min(0.99, random.normal(0.83, 0.06))),
    coalesced: merges ? sampleOf(moves, () => Math.max(1, Math.round(random.normal(perFrame, perFrame / 3)))) : null,
    clicks,
    clickDwell: sampleOf(clicks, () => Math.max(18, random.around(hands.pressMs, 0.28))),
    clickSettle: sampleOf(clicks, () => random.around(remote ? 190 : 120, 0.9)),
    clickCentre: sampleOf(clicks, () => Math.min(1, Math.abs(random.normal(0.36, 0.2)))),
    // A page’s own code presses buttons, too.
    clickBare: clicks > 0 && random.chance(0.04) ? random.int(1, 3) : 0,
    pressureZero: random.chance(0.004) ? clicks : 0,
    wheels,
    wheelLies: 0,
    scrolls: Math.round(wheels * random.between(0.8, 2)) + (wheels === 0 ? questions : 0),
    // Extensions that fill in forms or check words send events of their own.
    untrusted: clicks > 0 && random.chance(0.035) ? random.int(1, 12) : 0,
  };
}

function touching(
  random: Random,
  hands: Hands,
  machine: Machine,
  { questions, framed }: Sitting,
  clicks: number,
): Partial<Behavior> {
  const apple = machine.system === 'ios' || machine.system === 'ipad';
  // Some Android screens measure force; others always say 1, and Apple’s 0.
  const feels = !apple && machine.hardware.charCodeAt(0) % 3 === 0;
  const touches = Math.round(clicks + questions * random.around(1.6, 0.5));
  const moves = Math.round(touches * random.around(apple ? 1.2 : 2.5, 0.6));
  return {
    moves,
    interval: sampleOf(moves, () => random.around(16.7, 0.25)),
    turn: sampleOf(moves, () => Math.abs(random.normal(0, 0.25))),
    straight: moves > 12 ? round(random.between(0.86, 0.99)) : null,
    coalesced: apple ? null : sampleOf(moves, () => random.int(1, 3)),
    clicks,
    clickDwell: sampleOf(clicks, () => Math.max(12, random.around(hands.pressMs, 0.32))),
    clickCentre: sampleOf(clicks, () => Math.min(1, Math.abs(random.normal(0.33, 0.2)))),
    touches,
    touchForce: sampleOf(touches, () => (feels ? random.between(0.2, 0.6) : Number(!apple))),
    touchRadius: sampleOf(touches, () => random.around(apple ? 22 : 15, 0.2)),
    scrolls: Math.round(questions * random.around(14, 0.6)),
    motion: apple || framed ? null : sampleOf(Math.round(questions * 300), () => random.around(hands.motion, 0.8)),
    clickBare: clicks > 0 && random.chance(0.03) ? random.int(1, 2) : 0,
    untrusted: clicks > 0 && random.chance(0.02) ? random.int(1, 4) : 0,
  };
}

/** Readers and voice control press what they name: without a pointer, or in the very middle. */
function assisted(random: Random, hands: Hands, machine: Machine, clicks: number): Partial<Behavior> {
  const phone = isPhone(machine.system);
  return {
    clicks,
    clickBare: phone ? 0 : Math.round(clicks * random.between(0.5, 1)),
    clickDwell: phone ? sampleOf(clicks, () => random.between(0, 12)) : null,
    clickCentre: phone ? sampleOf(clicks, () => random.between(0, 0.02)) : null,
    touches: phone ? clicks : 0,
    touchRadius: phone ? sampleOf(clicks, () => 0) : null,
    keys: hands.means === 'voice' ? 0 : random.int(5, 30 + clicks),
    inputNoKey: hands.means === 'voice' ? random.int(0, 6) : 0,
    keyDwell: hands.means === 'voice' ? null : held(random, hands, clicks),
    scrolls: random.int(5, 60),
  };
}

const held = (random: Random, hands: Hands, n: number): ReturnType<typeof sampleOf> =>
  sampleOf(n, () => random.around(hands.keyHold, 0.25));

function typing(random: Random, hands: Hands, machine: Machine, questions: number): Partial<Behavior> {
  const some = random.chance(0.5) ? random.int(1, 5) : 0;
  const words = hands.wordy > 0 && questions > 3 ? Math.round(Math.min(400, random.around(hands.wordy, 0.6))) : some;
  if (words === 0) return {};
  const touch = isTouch(machine.system);
  const keys = words;
  const pastes = random.chance(0.05) ? random.int(1, 2) : 0;
  if (!touch)
    return {
      keys,
      keyDwell: held(random, hands, keys),
      // Rollover: a quarter of the keys come down before the last one is up.
      keyFlight: sampleOf(keys - 1, () =>
        random.chance(0.25) ? random.between(-60, 0) : random.around(hands.keyGap, 0.6),
      ),
      inputNoKey: random.chance(0.03) ? random.int(1, 3) : 0,
      pastes,
      pasteChars: pastes * random.int(4, 90),
    };
  const apple = machine.system !== 'android';
  return {
    keys,
    keyDwell: sampleOf(keys, () => (apple ? random.between(0, 6) : random.between(0, 25))),
    keyFlight: sampleOf(keys - 1, () => random.around(190, 0.5)),
    inputNoKey: apple && random.chance(0.5) ? random.int(1, 1 + Math.ceil(words / 12)) : Number(random.chance(0.05)),
    pastes,
    pasteChars: pastes * random.int(4, 60),
  };
}
