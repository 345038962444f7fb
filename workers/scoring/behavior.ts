/**
 * The behavior axis: how the page was used. What a driver’s input looks like (presses shorter than any finger’s, one event per
 * frame, clicks in the very centre) against what a hand does. Phones and assistive tools work differently from a desktop mouse, so rules that
 * compare with one apply to it only; an unmeasured quantity applies to nothing.
 */
import type { ProbeBody } from '../../src/contract/probe.js';
import { clamp, createRaise, type Rules, type Signal } from './rule.js';
import type { Visit } from './visit.js';

export const behaviorRules = {
  input_untrusted: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'medium',
    weight: 4.6,
    group: 'synthetic',
    detail: 'Scripts, not hands, produced input on the page ({value} events).',
  },
  click_without_press: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'medium',
    weight: 3.5,
    group: 'synthetic',
    detail: 'The mouse button was held for {value} ms on average, shorter than a finger can.',
  },
  key_without_press: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'medium',
    weight: 3,
    group: 'synthetic',
    detail: 'Keys were held for {value} ms on average, shorter than a finger can.',
  },
  typing_inhuman: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'medium',
    weight: 2,
    group: 'synthetic',
    detail: 'Keys followed each other every {value} ms, faster or more evenly than people type.',
  },
  click_without_pointer: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'low',
    weight: 1.5,
    group: 'synthetic',
    detail: '{value} clicks came without a pointer or a key before them.',
  },
  press_without_pressure: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'medium',
    weight: 2,
    group: 'synthetic',
    detail: 'The mouse was pressed without any pressure {value} times.',
  },
  click_centred: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'medium',
    weight: 2,
    group: 'synthetic',
    detail: 'Clicks hit their targets in the very centre.',
  },
  click_unsettled: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'low',
    weight: 1.2,
    group: 'synthetic',
    detail: 'The pointer was pressed {value} ms after it stopped, sooner than a hand can.',
  },
  pointer_teleports: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'low',
    weight: 1.5,
    group: 'synthetic',
    detail: 'The pointer jumped from click to click.',
  },
  pointer_uncoalesced: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'low',
    weight: 1,
    group: 'synthetic',
    detail: 'Every pointer move arrived alone; a mouse sends several per frame.',
  },
  pointer_metronome: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'low',
    weight: 1.5,
    group: 'synthetic',
    detail: 'The pointer moved at constant intervals.',
  },
  pointer_straight: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'low',
    weight: 1.5,
    group: 'synthetic',
    detail: 'The pointer moved in perfectly straight lines.',
  },
  key_without_code: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'low',
    weight: 1.5,
    group: 'synthetic',
    detail: 'Key events lack the key that a keyboard names.',
  },
  input_without_keys: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'low',
    weight: 1.2,
    group: 'synthetic',
    detail: 'Text appeared {value} times without typing, pasting or filling in.',
  },
  wheel_contradiction: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'low',
    weight: 1.2,
    group: 'synthetic',
    detail: 'Wheel events contradict themselves.',
  },
  touch_uniform: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'low',
    weight: 1,
    group: 'synthetic',
    detail: 'Every touch had exactly the same size and force.',
  },
  questions_rushed: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'low',
    weight: 0.5,
    group: 'attention',
    detail: 'Questions were answered faster than they can be read, {value} s on average.',
  },
  answers_pasted: {
    axis: 'behavior',
    class: 'correlate',
    severity: 'low',
    weight: 0.5,
    group: 'attention',
    detail: 'Long answers were pasted rather than typed.',
  },
  pointer_humanlike: {
    axis: 'behavior',
    class: 'exculpatory',
    severity: 'info',
    weight: -0.8,
    group: 'hand',
    detail: 'The pointer moves, pauses and presses as a hand does.',
  },
  touch_humanlike: {
    axis: 'behavior',
    class: 'exculpatory',
    severity: 'info',
    weight: -0.6,
    group: 'hand',
    detail: 'Touches vary as fingers do.',
  },
  typing_humanlike: {
    axis: 'behavior',
    class: 'exculpatory',
    severity: 'info',
    weight: -0.4,
    group: 'hand',
    detail: 'Keys are pressed in the rhythm of a person.',
  },
} as const satisfies Rules;

export const behaviorEdges = {
  pressMsMin: 4,
  clickPressOnce: 2.4,
  clickPressTapped: 1,
  clickPressPerhapsTapped: 1.8,
  handSpreadMin: 0.15,
  keyPressMsMin: 12,
  keysMin: 5,
  flightMsMin: 15,
  flightsMin: 12,
  pressureOnce: 1.2,
  centreTwice: 1.2,
  inputFew: 0.5,
  settleMsMin: 6,
  centreMax: 0.012,
  movesMin: 30,
  intervalSpreadMax: 0.03,
  straightMin: 0.9995,
  untrustedFew: 0.4,
  untrustedSome: 2.4,
  untrustedMany: 6,
  clickBareFew: 0.4,
  wheelsMin: 3,
  touchesMin: 4,
  questionsMin: 5,
  questionMsMean: 1_500,
  pasteCharsMin: 200,
  humanPressMs: [25, 400],
  humanKeyMs: [30, 300],
} as const;

type Behavior = NonNullable<ProbeBody['beh']>;

const raise = createRaise(behaviorRules);
const edges = behaviorEdges;

export function weighBehavior({ body, agent }: Visit): Signal[] {
  const signals: Signal[] = [];
  if (body === null) return signals;
  weighQuestions(body, signals);
  const beh = body.beh;
  if (beh == null) return signals;
  const desktop = agent?.mobile !== true && (beh.touches ?? 0) === 0;
  weighTrust(beh, signals);
  if (desktop) {
    weighPresses(beh, signals);
    weighKeys(beh, signals);
    weighPointer(beh, agent?.browser ?? null, signals);
  } else weighTouch(beh, signals);
  if (!signals.some((signal) => signal.weight > 0 && signal.rule.group === 'synthetic'))
    weighHand(beh, desktop, signals);
  return signals;
}

/** Pages produce a few scripted events of their own; where nothing else happened, or most of it was scripted, somebody drives the page. */
function weighTrust(beh: Behavior, signals: Signal[]): void {
  const untrusted = beh.untrusted ?? 0;
  if (untrusted > 0) {
    const all = (beh.moves ?? 0) + (beh.clicks ?? 0) + (beh.keys ?? 0) + (beh.touches ?? 0) + (beh.wheels ?? 0);
    const most = untrusted < edges.untrustedMany ? edges.untrustedSome : undefined;
    const weight = untrusted < 2 || untrusted * 2 < all ? edges.untrustedFew : most;
    raise(signals, 'input_untrusted', weight, untrusted);
  }
  const bare = beh.clickBare ?? 0;
  // Screen readers and keyboards click without a pointer as well.
  if (bare > 0)
    raise(
      signals,
      'click_without_pointer',
      bare >= 2 && (beh.keys ?? 0) === 0 && bare >= (beh.clicks ?? 0) / 2 ? undefined : edges.clickBareFew,
      bare,
    );
}

function weighPresses(beh: Behavior, signals: Signal[]): void {
  const { clickDwell, clickSettle, clickCentre, pressureZero } = beh;
  if (
    clickDwell != null &&
    clickDwell[0] > 0 &&
    clickDwell[1] < edges.pressMsMin &&
    clickDwell[4] < 2 * edges.pressMsMin
  ) {
    raise(signals, 'click_without_press', weighPress(beh, clickDwell[0]), round(clickDwell[1]));
  }
  if (pressureZero != null && pressureZero > 0)
    raise(signals, 'press_without_pressure', pressureZero > 1 ? undefined : edges.pressureOnce, pressureZero);
  if (clickCentre != null && clickCentre[0] >= 2 && clickCentre[4] <= edges.centreMax)
    raise(signals, 'click_centred', clickCentre[0] > 2 ? undefined : edges.centreTwice);
  if (clickSettle != null && clickSettle[0] >= 2 && clickSettle[4] < edges.settleMsMin)
    raise(signals, 'click_unsettled', undefined, round(clickSettle[1]));
  const presses = clickDwell?.[0] ?? 0;
  if (beh.moves != null && presses >= 3 && beh.moves <= presses * 1.5 && (beh.keys ?? 0) === 0)
    raise(signals, 'pointer_teleports');
}

/** A tap on a touchpad presses and releases at once; the hand shows in how the pointer moves, unless the keys give a driver away. */
function weighPress(beh: Behavior, presses: number): number | undefined {
  if (movesLikeHand(beh) && !arePressesTooShort(beh.keyDwell))
    return (beh.coalesced?.[4] ?? 0) > 1 ? edges.clickPressTapped : edges.clickPressPerhapsTapped;
  return presses > 1 ? undefined : edges.clickPressOnce;
}

function movesLikeHand({ interval }: Behavior): boolean {
  return interval != null && interval[0] >= edges.movesMin && interval[2] > edges.handSpreadMin * interval[1];
}

function arePressesTooShort(keyDwell: Behavior['keyDwell']): keyDwell is NonNullable<typeof keyDwell> {
  return keyDwell != null && keyDwell[0] >= edges.keysMin && keyDwell[1] < edges.keyPressMsMin;
}

function weighKeys(beh: Behavior, signals: Signal[]): void {
  const { keys, keyDwell, keyFlight, keyNoCode, inputNoKey } = beh;
  if (arePressesTooShort(keyDwell)) raise(signals, 'key_without_press', undefined, round(keyDwell[1]));
  if (
    keyFlight != null &&
    keyFlight[0] >= edges.flightsMin &&
    (Math.abs(keyFlight[1]) < edges.flightMsMin || keyFlight[2] < 0.05 * Math.abs(keyFlight[1]))
  ) {
    // Fast typists press the next key before they let go of the last: their spread gives them away as people.
    if (keyFlight[2] < edges.flightMsMin) raise(signals, 'typing_inhuman', undefined, round(keyFlight[1]));
  }
  if (keys != null && keyNoCode != null && keys >= edges.keysMin && keyNoCode >= keys / 2)
    raise(signals, 'key_without_code');
  if (inputNoKey != null && inputNoKey > 0)
    raise(signals, 'input_without_keys', inputNoKey > 2 ? undefined : edges.inputFew, inputNoKey);
}

function weighPointer(beh: Behavior, browser: string | null, signals: Signal[]): void {
  const { coalesced, interval, straight, turn, wheels, wheelLies, moves } = beh;
  // Other engines deliver moves one by one.
  const chromium = browser !== 'firefox' && browser !== 'safari';
  if (chromium && coalesced != null && coalesced[0] >= edges.movesMin && coalesced[4] <= 1)
    raise(signals, 'pointer_uncoalesced');
  if (interval != null && interval[0] >= edges.movesMin && interval[2] < edges.intervalSpreadMax * interval[1])
    raise(signals, 'pointer_metronome');
  if (
    straight != null &&
    straight > edges.straightMin &&
    (moves ?? 0) >= edges.movesMin &&
    (turn == null || turn[1] < 0.01)
  )
    raise(signals, 'pointer_straight');
  if (wheels != null && wheelLies != null && wheels >= edges.wheelsMin && wheelLies >= wheels / 2)
    raise(signals, 'wheel_contradiction');
}

function weighTouch({ touches, touchRadius, touchForce, motion }: Behavior, signals: Signal[]): void {
  if ((touches ?? 0) < edges.touchesMin || touchRadius == null || touchForce == null) return;
  // A phone that lies still on a table reports no motion; a driven one reports none either.
  if (touchRadius[2] === 0 && touchForce[2] === 0 && touchRadius[4] <= 1 && motion == null)
    raise(signals, 'touch_uniform');
}

function weighQuestions({ q, beh }: ProbeBody, signals: Signal[]): void {
  if (q != null && q.length >= edges.questionsMin) {
    const meanMs = q.reduce((sum, question) => sum + question.timeOnQuestionMs, 0) / q.length;
    if (meanMs < edges.questionMsMean) raise(signals, 'questions_rushed', undefined, round(meanMs / 1_000));
  }
  if (beh?.pasteChars != null && beh.pasteChars >= edges.pasteCharsMin && (beh.keys ?? 0) * 4 < beh.pasteChars)
    raise(signals, 'answers_pasted');
}

/** Forgeable like the rest, and therefore worth little. */
function weighHand(beh: Behavior, desktop: boolean, signals: Signal[]): void {
  const { clickDwell, coalesced, keyDwell, keyFlight, touchRadius, motion } = beh;
  const presses = clickDwell != null && isBetween(clickDwell[1], edges.humanPressMs);
  if (desktop && presses && movesLikeHand(beh) && (coalesced == null || coalesced[4] > 1))
    raise(signals, 'pointer_humanlike');
  if (
    !desktop &&
    (beh.touches ?? 0) >= edges.touchesMin &&
    ((touchRadius != null && touchRadius[2] > 0) || (motion != null && motion[2] > 0))
  )
    raise(signals, 'touch_humanlike');
  if (
    keyDwell != null &&
    keyFlight != null &&
    keyDwell[0] >= edges.keysMin &&
    isBetween(keyDwell[1], edges.humanKeyMs) &&
    keyDwell[2] > 5 &&
    keyFlight[2] > edges.flightMsMin
  ) {
    raise(signals, 'typing_humanlike');
  }
}

function isBetween(value: number, [low, high]: readonly [number, number]): boolean {
  return clamp(value, low, high) === value;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
