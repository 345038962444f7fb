/**
 * The behavior axis: how the page was used. The look of a driver’s input (presses shorter than any finger’s, one event per
 * frame, clicks in the very centre) against what a hand does. Phones and assistive tools work differently from a desktop mouse, so rules that
 * compare with one apply to it only; an unmeasured quantity applies to nothing. Every page load of the session is looked at, and all of them
 * together: the worst of each finding stands, and a later page takes nothing back.
 */
import type { QuestionSnapshot } from '../../src/contract/probe.js';
import { behaviorThresholds, behaviorRules } from './behavior-rules.js';
import { clamp, createRaise, keepWorst, type Signal } from './model.js';
import { isContinued, poolUsage, readUsage, type Input, type Statistics, type Usage } from './usage.js';
import { isWitnessed } from './claims.js';
import { newestOf, type Page, type Visit } from './visit.js';

const raise = createRaise(behaviorRules);
const thresholds = behaviorThresholds;

/** The facts by which the input on a page is judged. */
interface UsedPage {
  readonly body: Pick<Page['body'], 'beh' | 'q' | 'hw' | 'lies' | 'scr' | 'env'>;
  readonly agent: Page['agent'];
  readonly pageAgent: Page['agent'];
}

export function weighBehavior({ pages }: Visit): Signal[] {
  const [first] = pages;
  if (first === undefined) return [];
  const usages = pages.map(({ body }) => readUsage(body));
  // Each message counts from its page load on, so that the newest of a page holds what was seen before, and with more to go by: the first clicks
  // of a hand may look like a driver's. If counts went back, something was withdrawn, and the earlier message still counts.
  const pooled = poolUsage(usages.filter((_, index) => pages[index]?.replaced === false));
  const touched = usages.some(({ input }) => (input?.touches ?? 0) > 0);
  const whole = weighUsage(pooled, first, touched);
  const speaksForItself = (page: Page, index: number): boolean => {
    const newest = newestOf(page, pages);
    return (
      newest === undefined || !isContinued(usages[index]?.input ?? null, usages[pages.indexOf(newest)]?.input ?? null)
    );
  };
  const against = pages.length === 1 ? whole : keepWorst([whole, ...pages.filter(speaksForItself).map(weighPageInput)]);
  const isTrusted = pages.every((page) => page.replaced || isWitnessed(page));
  if (pooled.input === null || !isTrusted || against.some(({ rule }) => rule.group === 'synthetic')) return against;
  return [...against, ...weighHand(pooled.input, isDesktop(first, touched), first.agent?.os ?? null)];
}

/** Evidence in the input on one page against its session. */
export function weighPageInput(page: UsedPage): Signal[] {
  const usage = readUsage(page.body);
  return weighUsage(usage, page, (usage.input?.touches ?? 0) > 0);
}

/** Whether mouse and keyboard are at work: also where a desktop calls itself a phone, and nothing touched it. */
function isDesktop({ agent, body }: UsedPage, touched: boolean): boolean {
  return (agent?.mobile !== true || desktopPlatform.test(body.hw?.platform ?? '')) && !touched;
}
const desktopPlatform = /^(?:Win|Mac|Linux (?:x86_64|i686)|CrOS|FreeBSD|X11)/;

/** Evidence against the respondent. */
function weighUsage({ input, questions }: Usage, page: UsedPage, touched: boolean): Signal[] {
  const signals: Signal[] = [];
  weighQuestions(questions, input, signals);
  if (input === null) return signals;
  weighTrust(input, signals);
  if (isDesktop(page, touched)) {
    weighPresses(input, signals);
    weighKeys(input, signals);
    weighPointer(input, signals);
    if (isChromium(page)) weighDelivery(input, page.agent?.os ?? null, signals);
  } else weighTouch(input, page, signals);
  if (page.body.hw?.touch === 0 && (input.touches ?? 0) > 0) raise(signals, 'touch_without_screen');
  if (isPhone(page) && input.touches === 0 && isMouse(input)) raise(signals, 'phone_with_mouse');
  return signals;
}

/**
 * Whether page, connection and platform agree on a phone: a contradiction among them is the device's finding. Tablets are none, since some have a
 * mouse; on Android their user agents lack `Mobile`.
 */
function isPhone({ agent, pageAgent, body }: UsedPage): boolean {
  const isNamed = (each: Page['agent']): boolean =>
    each?.text.includes('Mobile') === true && !each.text.includes('iPad');
  return isNamed(agent) && isNamed(pageAgent) && !desktopPlatform.test(body.hw?.platform ?? '');
}

/** The time from a move to a press is measured for a mouse only; screen readers press without a move. */
function isMouse({ moves, clickSettle }: Input): boolean {
  return clickSettle !== null && (moves ?? 0) >= thresholds.movesMin;
}

/** Pages produce a few scripted events of their own; where nothing else happened, or most of it was scripted, somebody drives the page. */
function weighTrust(input: Input, signals: Signal[]): void {
  const untrusted = input.untrusted ?? 0;
  if (untrusted > 0) raise(signals, 'input_untrusted', weighUntrusted(untrusted, input), untrusted);
  const bare = input.clickBare ?? 0;
  // Screen readers and keyboards click without a pointer as well.
  if (bare > 0)
    raise(
      signals,
      'click_without_pointer',
      bare >= 2 && (input.keys ?? 0) === 0 && bare >= (input.clicks ?? 0) / 2 ? undefined : thresholds.clickBareFew,
      bare,
    );
}

function weighUntrusted(untrusted: number, { moves, clicks, keys, touches, wheels }: Input): number | undefined {
  const all = (moves ?? 0) + (clicks ?? 0) + (keys ?? 0) + (touches ?? 0) + (wheels ?? 0);
  if (untrusted < 2 || untrusted * 2 < all) return thresholds.untrustedFew;
  return untrusted < thresholds.untrustedMany ? thresholds.untrustedSome : undefined;
}

function weighPresses(input: Input, signals: Signal[]): void {
  const { clickDwell, clickSettle, clickCentre, pressureZero } = input;
  if (clickDwell !== null && clickDwell.mean < thresholds.pressMsMin && clickDwell.max < 2 * thresholds.pressMsMin)
    raise(signals, 'click_without_press', weighPress(input, clickDwell.count), round(clickDwell.mean));
  if (pressureZero !== null && pressureZero > 0)
    raise(signals, 'press_without_pressure', pressureZero > 1 ? undefined : thresholds.pressureOnce, pressureZero);
  if (clickCentre !== null && clickCentre.count >= 2 && clickCentre.max <= thresholds.centreMax)
    raise(signals, 'click_centred', clickCentre.count > 2 ? undefined : thresholds.centreTwice);
  if (clickSettle !== null && clickSettle.count >= 2 && clickSettle.max < thresholds.settleMsMin)
    raise(signals, 'click_unsettled', undefined, round(clickSettle.mean));
  const presses = clickDwell?.count ?? 0;
  if (
    input.moves !== null &&
    presses >= thresholds.teleportPressesMin &&
    input.moves <= presses * thresholds.teleportMovesPerPressMax
  )
    raise(signals, 'pointer_teleports', (input.keys ?? 0) === 0 ? undefined : thresholds.teleportTyped);
  const clicks = input.clicks ?? 0;
  const byPointer = clicks - (input.clickBare ?? 0);
  if (
    input.moves !== null &&
    byPointer >= thresholds.sparseClicksMin &&
    input.moves > presses * thresholds.teleportMovesPerPressMax &&
    input.moves <= byPointer * thresholds.sparseMovesPerClickMax
  )
    raise(signals, 'pointer_sparse');
}

/** A tap on a touchpad presses and releases at once; the hand shows in how the pointer moves, unless the keys give a driver away. */
function weighPress(input: Input, presses: number): number | undefined {
  if (movesLikeHand(input) && !arePressesTooShort(input.keyDwell))
    return (input.coalesced?.max ?? 0) > 1 ? thresholds.clickPressTapped : thresholds.clickPressPerhapsTapped;
  return presses > 1 ? undefined : thresholds.clickPressOnce;
}

function movesLikeHand({ interval }: Input): boolean {
  return (
    interval !== null &&
    interval.count >= thresholds.movesMin &&
    interval.deviation > thresholds.handSpreadMin * interval.mean
  );
}

function arePressesTooShort(keyDwell: Statistics | null): keyDwell is Statistics {
  return keyDwell !== null && keyDwell.count >= thresholds.keysMin && keyDwell.mean < thresholds.keyPressMsMin;
}

function weighKeys({ keys, keyDwell, keyFlight, keyNoCode, keyNoShift, inputNoKey }: Input, signals: Signal[]): void {
  if (arePressesTooShort(keyDwell)) raise(signals, 'key_without_press', undefined, round(keyDwell.mean));
  // Fast typists press the next key before they let go of the last: their spread gives them away as people.
  if (keyFlight !== null && keyFlight.count >= thresholds.flightsMin && keyFlight.deviation < thresholds.flightMsMin) {
    const pauseMs = Math.abs(keyFlight.mean);
    if (pauseMs < thresholds.flightMsMin || keyFlight.deviation < thresholds.flightSpreadMin * pauseMs)
      raise(signals, 'typing_inhuman', undefined, round(keyFlight.mean));
  }
  if (keys !== null && keyNoCode !== null && keys >= thresholds.keysMin && keyNoCode >= keys / 2)
    raise(signals, 'key_without_code');
  if (keyNoShift !== null && keyNoShift > 0)
    raise(signals, 'capital_without_shift', keyNoShift > 1 ? undefined : thresholds.capitalOnce, keyNoShift);
  if (inputNoKey !== null && inputNoKey > 0)
    raise(signals, 'input_without_keys', inputNoKey > 2 ? undefined : thresholds.inputFew, inputNoKey);
}

function isChromium({ agent }: UsedPage): boolean {
  return agent?.browser !== 'firefox' && agent?.browser !== 'safari';
}

/** How the browser hands input on: what comes from its debugging protocol takes another way than what comes from the system. */
function weighDelivery(
  { coalesced, moves, fineTimes, subpixel, keys, keyFineTimes, wheels, wheelTicks, scrolls }: Input,
  os: string | null,
  signals: Signal[],
): void {
  // Other engines deliver moves one by one.
  if (coalesced !== null && coalesced.count >= thresholds.movesMin && coalesced.max <= 1)
    raise(signals, 'pointer_uncoalesced');
  // The X server and Wayland count whole milliseconds.
  if (os === 'linux') {
    if (areFine(fineTimes, moves, thresholds.clockMovesMin)) raise(signals, 'pointer_clock');
    if (areFine(keyFineTimes, keys, thresholds.clockKeysMin)) raise(signals, 'key_clock');
  }
  const moved = moves ?? 0;
  const isOnPixels = os === 'linux' || os === 'windows';
  if (isOnPixels && (subpixel ?? 0) >= Math.max(thresholds.subpixelMin, moved * thresholds.subpixelShareMin))
    raise(signals, 'pointer_subpixel');
  const [least, most] = thresholds.scrollsPerTick;
  if (
    wheels !== null &&
    wheels >= thresholds.wheelsMin &&
    wheelTicks === wheels &&
    isBetween((scrolls ?? 0) / wheels, [least, most])
  )
    raise(signals, 'wheel_unanimated');
}

/** Whether most of the events, at least `least` of them, came between whole milliseconds. */
function areFine(fine: number | null, all: number | null, least: number): boolean {
  return (all ?? 0) >= least && (fine ?? 0) >= (all ?? 0) * thresholds.clockShareMin;
}

function weighPointer({ interval, straight, turn, wheels, wheelLies, moves }: Input, signals: Signal[]): void {
  if (
    interval !== null &&
    interval.count >= thresholds.movesMin &&
    interval.deviation < thresholds.intervalSpreadMax * interval.mean
  )
    raise(signals, 'pointer_metronome');
  if (
    straight !== null &&
    straight > thresholds.straightMin &&
    (moves ?? 0) >= thresholds.movesMin &&
    (turn === null || turn.mean < thresholds.turnRadiansMin)
  )
    raise(signals, 'pointer_straight');
  if (wheels !== null && wheelLies !== null && wheels >= thresholds.wheelsMin && wheelLies >= wheels / 2)
    raise(signals, 'wheel_contradiction');
}

function weighTouch({ touches, touchRadius, touchForce, motion }: Input, page: UsedPage, signals: Signal[]): void {
  if ((touches ?? 0) < thresholds.touchesMin || touchRadius === null || touchForce === null) return;
  if (touchRadius.deviation > 0 && touchForce.deviation > 0 && motion === null && isEmulated(page))
    raise(signals, 'touch_forged');
  // A phone that lies still on a table reports no motion; a driven one reports none either.
  if (touchRadius.deviation === 0 && touchForce.deviation === 0 && touchRadius.max <= 1 && motion === null)
    raise(signals, 'touch_uniform');
  else if ((touchRadius.deviation === 0 || touchForce.deviation === 0) && motion === null) raise(signals, 'touch_flat');
}

/**
 * A desktop browser that emulates a phone: a worker knows its system, and its view fills the screen or it has a desktop's plug-ins. Developer
 * tools do the same, but a mouse makes all their touches alike.
 */
function isEmulated({ agent, body: { lies, scr, env } }: UsedPage): boolean {
  if (agent?.mobile !== true || lies?.includes('worker.platform') !== true) return false;
  const isFilled = scr?.h != null && scr.innerH === scr.h && scr.innerW === scr.w;
  return isFilled || ((env?.plugins ?? 0) > 0 && env?.pdf === true);
}

function weighQuestions(questions: readonly QuestionSnapshot[], input: Input | null, signals: Signal[]): void {
  if (questions.length >= thresholds.questionsMin) {
    const meanMs = questions.reduce((sum, question) => sum + question.timeOnQuestionMs, 0) / questions.length;
    if (meanMs < thresholds.questionMsMean) raise(signals, 'questions_rushed', undefined, round(meanMs / 1_000));
  }
  if (questions.length >= thresholds.evenQuestionsMin) {
    const share = evennessOf(questions);
    if (share > 0) raise(signals, 'answers_even', share * behaviorRules.answers_even.weight);
  }
  const pasted = input?.pasteChars ?? 0;
  if (pasted >= thresholds.pasteCharsMin && (input?.keys ?? 0) * thresholds.pasteCharsPerKey < pasted)
    raise(signals, 'answers_pasted');
}

/** How many standard errors the times vary less than a person’s, as a share of the weight: more questions show smaller differences. */
function evennessOf(questions: readonly QuestionSnapshot[]): number {
  const { length } = questions;
  let [sum, squares] = [0, 0];
  for (const { timeOnQuestionMs } of questions) {
    const time = Math.log(Math.max(1, timeOnQuestionMs));
    sum += time;
    squares += time * time;
  }
  const deviation = Math.sqrt(Math.max(0, squares - (sum * sum) / length) / (length - 1));
  const errors = Math.log(thresholds.usualSpread / deviation) * Math.sqrt(2 * (length - 1));
  const [from, full] = thresholds.evenErrors;
  return clamp((errors - from) / (full - from), 0, 1);
}

/** Forgeable like the rest, and therefore worth little. */
function weighHand(input: Input, desktop: boolean, os: string | null): Signal[] {
  const { clickDwell, coalesced, keyDwell, keyFlight, touchRadius, motion } = input;
  const signals: Signal[] = [];
  const presses = clickDwell !== null && isBetween(clickDwell.mean, thresholds.humanPressMs);
  if (desktop && presses && movesLikeHand(input) && (coalesced === null || coalesced.max > 1))
    raise(signals, 'pointer_humanlike');
  // Android reports its motion unasked, except in a rack; others ask their user first.
  const varies = (sample: Statistics | null): boolean => sample !== null && sample.deviation > 0;
  if (
    !desktop &&
    (input.touches ?? 0) >= thresholds.touchesMin &&
    (varies(motion) || (os !== 'android' && varies(touchRadius)))
  )
    raise(signals, 'touch_humanlike');
  if (
    keyDwell !== null &&
    keyFlight !== null &&
    keyDwell.count >= thresholds.keysMin &&
    isBetween(keyDwell.mean, thresholds.humanKeyMs) &&
    keyDwell.deviation > thresholds.humanKeySpreadMs &&
    keyFlight.deviation > thresholds.flightMsMin
  )
    raise(signals, 'typing_humanlike');
  return signals;
}

function isBetween(value: number, [low, high]: readonly [number, number]): boolean {
  return clamp(value, low, high) === value;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
