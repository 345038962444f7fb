/** The result of a step-up that holds for a score, and its effect. */
import t from 'tap';
import type { DeviceSketch, ScoreFacts, StepUpOutcome } from '../../../src/contract/facts.js';
import { sketchDevice } from '../../../workers/duplicates/sketch.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { findStepUp } from '../../../workers/scoring/step-up.js';
import { decisionInputsOf } from '../../../workers/scoring/verdict.js';
import { decide } from '../../../workers/thresholds/levels.js';
import { readVisit } from '../../../workers/scoring/visit.js';
import { humanFacts } from '../../helpers/facts.js';

const facts = humanFacts();
const { probe } = facts;
if (probe === null) throw new Error('the person has a probe');
const here = sketchDevice(probe.body, probe.transport.userAgent);
const elsewhere: DeviceSketch = { ...here, osFamily: here.osFamily === 'android' ? 'windows' : 'android' };

const outcome = (over: Partial<StepUpOutcome> = {}): StepUpOutcome => ({
  passed: true,
  intensity: 'light',
  device: here,
  ...over,
});

const cases: readonly (readonly [string, Partial<StepUpOutcome>, 'none' | 'light' | 'heavy', boolean])[] = [
  ['light, none asked for', {}, 'none', true],
  ['light, as asked for', {}, 'light', true],
  ['light, heavy asked for', {}, 'heavy', false],
  ['heavy, light asked for', { intensity: 'heavy' }, 'light', true],
  ['heavy, as asked for', { intensity: 'heavy' }, 'heavy', true],
  ['light and failed, heavy asked for', { passed: false }, 'heavy', false],
  ['without a device', { device: null }, 'light', false],
  ['on another device', { device: elsewhere }, 'light', false],
  ['heavy, on another device', { device: elsewhere, intensity: 'heavy' }, 'light', false],
];

t.test('a step-up holds on its device, and for an intensity up to its own', (t) => {
  for (const [name, over, asked, holds] of cases) {
    const stepUps = [outcome(over)];
    t.equal(findStepUp(readVisit({ ...facts, stepUps }), asked) !== null, holds, name);
    t.equal(
      findStepUp(readVisit({ ...facts, stepUps, probe: null }), asked) !== null,
      holds || 'device' in over,
      `${name}, without a probe`,
    );
  }
  t.end();
});

t.test('any page of another device takes the pass away', (t) => {
  const phone = {
    ...probe,
    body: {
      ...probe.body,
      nonce: 'another-page',
      ua: {
        ...probe.body.ua,
        ua: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.2 Mobile/15E148 Safari/604.1',
      },
    },
  };
  const visit = readVisit({ ...facts, probe: { ...probe, others: [phone] }, stepUps: [outcome({ device: here })] });
  t.equal(findStepUp(visit, 'none'), null);
  t.end();
});

/** Asks for a light step-up of everybody, or a heavy one. */
const askedOf = (stepUpIntensityThreshold: number, stepUps: readonly StepUpOutcome[]): ScoreFacts => ({
  ...facts,
  calibration: { ...facts.calibration, stepUpEnabled: true, stepUpThreshold: 0, stepUpIntensityThreshold },
  stepUps,
});

t.test('a pass that does not hold counts for nothing, and the score asks again', (t) => {
  for (const stepUps of [[outcome()], [outcome({ device: elsewhere, intensity: 'heavy' })]]) {
    const asked = scoreFacts(askedOf(0, stepUps));
    t.strictSame(asked, scoreFacts(askedOf(0, [])));
    t.match(asked.reply, { recommendation: 'step_up', stepUpIntensity: 'heavy' });
  }
  const { reply, calibration } = scoreFacts(askedOf(0, [outcome({ intensity: 'heavy' })]));
  t.not(reply.recommendation, 'step_up');
  t.equal(calibration.stepUpEnabled, false);
  t.ok(JSON.stringify(reply.evidence).includes('step_up_passed'));
  t.end();
});

t.test('the first result that holds decides', (t) => {
  const stepUps = [outcome({ device: elsewhere }), outcome({ passed: false, device: here })];
  t.same(findStepUp(readVisit({ ...facts, stepUps }), 'light'), stepUps[1]);
  t.end();
});

t.test('who fails the step-up that a score asked for is not allowed, whatever the thresholds', (t) => {
  for (const [reviewLow, stepUpThreshold] of [
    [40, 0],
    [74, 1],
    [40, 20],
  ] as const) {
    const asked = askedOf(0, []);
    const calibration = { ...asked.calibration, reviewLow, stepUpThreshold };
    const before = scoreFacts({ ...asked, calibration }).reply.recommendation;
    const stepUps = [outcome({ passed: false, intensity: 'heavy' })];
    const after = scoreFacts({ ...asked, calibration, stepUps });
    t.equal(after.reply.recommendation, before === 'step_up' ? 'review' : before, `${reviewLow}, ${stepUpThreshold}`);
    const thresholds = { reviewLow, blockThreshold: calibration.blockThreshold, stepUpThreshold: null };
    t.equal(
      decide(decisionInputsOf(after), thresholds).recommendation,
      after.reply.recommendation,
      'so is a simulation',
    );
  }
  t.equal(scoreFacts(askedOf(0, [])).reply.recommendation, 'step_up', 'it was asked for');
  t.end();
});
