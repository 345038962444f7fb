/**
 * What is held before the camera, or put in its place, instead of a person: none of it passes. Each is judged under the name of a real camera,
 * so that it is what the camera saw that decides.
 */
import t from 'tap';
import { recordCamera, withoutChromium } from '../../helpers/capture-page.js';
import { takePart, type Participation } from '../../helpers/capture-session.js';

// A capture takes its time: a dozen challenges at a pace that people can follow, on the models of a slow machine.
t.setTimeout(300_000);

const skip = withoutChromium;
const label = 'Integrated Webcam (0c45:6a09)';

/** What the judgement rests on, for a test that fails. */
const told = ({ run, reply }: Participation) => ({
  scores: reply.scores,
  signals: reply.fraudSignals,
  features: run.outcome?.parts['features'],
  guided: run.guided,
});

t.test('a still photograph in place of the camera', { skip }, async (t) => {
  const page = await recordCamera(t, 1, {});
  const seen = await takePart(t, { answering: false, face: null, page, label });
  t.equal(seen.run.outcome?.kind, 'captured', 'a still shows a face');
  t.equal(seen.reply.status, 'fail', 'status', told(seen));
  t.ok(seen.signals.includes('frozen_frames'), 'frozen_frames', told(seen));
  t.equal(seen.run.outcome?.telemetry['challengesPassed'], 0);
});

t.test('a clip that turns, blinks and smiles, in a circle', { skip }, async (t) => {
  const page = await recordCamera(t, 60, { 4: 'blink', 14: 'turn_left', 38: 'smile' });
  const seen = await takePart(t, { answering: false, face: null, page, label });
  t.equal(seen.run.outcome?.kind, 'captured', 'a clip shows a face');
  t.equal(seen.reply.status, 'fail', 'status', told(seen));
  t.ok(seen.signals.includes('looped_frames'), 'looped_frames', told(seen));
});

t.test('a face on a telephone held to the camera, even one that does what is asked', { skip }, async (t) => {
  const seen = await takePart(t, { answering: true, face: { screen: true }, camera: { framesPerSecond: 12 } });
  t.equal(seen.run.outcome?.kind, 'captured');
  t.equal(seen.reply.status, 'fail', 'status', told(seen));
  t.ok(seen.signals.includes('screen_detected'), 'screen_detected', told(seen));
});

t.test('a photograph that is waved and tilted before the camera', { skip }, async (t) => {
  const seen = await takePart(t, { answering: true, face: { flat: true } });
  t.equal(seen.run.outcome?.kind, 'captured');
  t.equal(seen.reply.status, 'fail', 'status', told(seen));
  t.ok((seen.reply.scores.liveness ?? 1) < 0.5, 'liveness', told(seen));
});
