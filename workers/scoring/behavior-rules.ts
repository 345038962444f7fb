/** Findings of the behavior axis, and what reads as one. */
import { rulesOf, type Rules } from './model.js';

const synthetic = rulesOf('behavior', 'correlate', 'synthetic');
const attention = rulesOf('behavior', 'correlate', 'attention');
const hand = rulesOf('behavior', 'exculpatory', 'hand');

export const behaviorRules = {
  input_untrusted: synthetic('medium', 4.6, 'Scripts, not hands, produced input on the page ({value} events).'),
  click_without_press: synthetic(
    'medium',
    3.5,
    'The mouse button was held for {value} ms on average, shorter than a finger can.',
  ),
  key_without_press: synthetic('medium', 3, 'Keys were held for {value} ms on average, shorter than a finger can.'),
  typing_inhuman: synthetic(
    'medium',
    2,
    'The next key was pressed {value} ms after the last was let go on average, sooner or more evenly than people type.',
  ),
  click_without_pointer: synthetic('low', 1.5, '{value} clicks came without a pointer or a key before them.'),
  press_without_pressure: synthetic('medium', 2, 'The mouse was pressed without any pressure {value} times.'),
  click_centred: synthetic('medium', 2, 'Clicks hit their targets in the very centre.'),
  click_unsettled: synthetic(
    'low',
    1.2,
    'The pointer was pressed {value} ms after it stopped, sooner than a hand can.',
  ),
  pointer_teleports: synthetic('low', 1.5, 'The pointer jumped from click to click.'),
  pointer_uncoalesced: synthetic('low', 1, 'Every pointer move arrived alone; a mouse sends several per frame.'),
  pointer_metronome: synthetic('low', 1.5, 'The pointer moved at constant intervals.'),
  pointer_straight: synthetic('low', 1.5, 'The pointer moved in perfectly straight lines.'),
  key_without_code: synthetic('low', 1.5, 'Key events lack the key that a keyboard names.'),
  input_without_keys: synthetic('low', 1.2, 'Text appeared {value} times without typing, pasting or filling in.'),
  wheel_contradiction: synthetic('low', 1.2, 'Wheel events contradict themselves.'),
  touch_uniform: synthetic('low', 1, 'Every touch had exactly the same size and force.'),
  questions_rushed: attention(
    'low',
    0.5,
    'Questions were answered faster than they can be read, {value} s on average.',
  ),
  answers_pasted: attention('low', 0.5, 'Long answers were pasted rather than typed.'),
  pointer_humanlike: hand('info', -0.8, 'The pointer moves, pauses and presses as a hand does.'),
  touch_humanlike: hand('info', -0.6, 'Touches vary as fingers do.'),
  typing_humanlike: hand('info', -0.4, 'Keys are pressed in the rhythm of a person.'),
} satisfies Rules;

export const behaviorThresholds = {
  pressMsMin: 4,
  teleportPressesMin: 3,
  teleportMovesPerPressMax: 1.5,
  clickPressOnce: 2.4,
  clickPressTapped: 1,
  clickPressPerhapsTapped: 1.8,
  handSpreadMin: 0.15,
  keyPressMsMin: 12,
  keysMin: 5,
  flightMsMin: 15,
  flightsMin: 12,
  flightSpreadMin: 0.05,
  pressureOnce: 1.2,
  centreTwice: 1.2,
  inputFew: 0.5,
  settleMsMin: 6,
  centreMax: 0.012,
  movesMin: 30,
  intervalSpreadMax: 0.03,
  straightMin: 0.9995,
  turnRadiansMin: 0.01,
  untrustedFew: 0.4,
  untrustedSome: 2.4,
  untrustedMany: 6,
  clickBareFew: 0.4,
  wheelsMin: 3,
  touchesMin: 4,
  questionsMin: 5,
  questionMsMean: 1_500,
  pasteCharsMin: 200,
  pasteCharsPerKey: 4,
  humanPressMs: [25, 400],
  humanKeyMs: [30, 300],
  humanKeySpreadMs: 5,
} as const;
