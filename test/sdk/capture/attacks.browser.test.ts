/**
 * What is held before the camera, or put in its place, instead of a person: none of it passes. Each is judged under the name of a real camera,
 * so that it is what the camera saw that decides.
 */
import t from 'tap';
import { launchDriven } from '../../helpers/browser.js';
import { withoutChromium, type Test } from '../../helpers/capture-page.js';
import { takePart, type Participant, type Participation } from '../../helpers/capture-session.js';
import { startTestService } from '../../helpers/service.js';

// A capture takes its time: a dozen challenges at a pace that people can follow, on the models of a slow machine.
t.setTimeout(300_000);

const skip = withoutChromium;
const browser = skip === false ? await launchDriven() : undefined;
const service = skip === false ? await startTestService(t) : undefined;
t.teardown(() => browser?.close());

/** A page need not wait as long as a person may take: less for who answers nothing, and for a loop to come round, than for who answers. */
const patienceMs = { still: 2_500, looped: 5_000, waved: 4_000 };
const attack = (t: Test, participant: Omit<Participant, 'face'> & Partial<Participant>) =>
  takePart(t, { face: {}, page: { browser }, ...(service && { service }), ...participant });

/** What the judgement rests on, for a test that fails. */
const told = ({ run, reply }: Participation) => ({
  scores: reply.scores,
  signals: reply.fraudSignals,
  features: run.outcome?.parts['features'],
  guided: run.guided,
});

t.test('a still photograph in place of the camera', { skip }, async (t) => {
  const seen = await attack(t, { answering: false, clip: [1, {}], patienceMs: patienceMs.still });
  t.equal(seen.run.outcome?.kind, 'captured', 'a still shows a face');
  t.equal(seen.reply.status, 'fail', 'status', told(seen));
  t.ok(seen.signals.includes('frozen_frames'), 'frozen_frames', told(seen));
  t.equal(seen.run.outcome?.telemetry['challengesPassed'], 0);
});

t.test('a clip that turns, blinks and smiles, in a circle', { skip }, async (t) => {
  const clip = [60, { 4: 'blink', 14: 'turn_left', 38: 'smile' }] as const;
  const seen = await attack(t, { answering: false, clip, patienceMs: patienceMs.looped });
  t.equal(seen.run.outcome?.kind, 'captured', 'a clip shows a face');
  t.equal(seen.reply.status, 'fail', 'status', told(seen));
  t.ok(seen.signals.includes('looped_frames'), 'looped_frames', told(seen));
});

t.test('a face on a telephone held to the camera, even one that does what is asked', { skip }, async (t) => {
  const seen = await attack(t, { answering: true, face: { screen: true }, camera: { framesPerSecond: 12 } });
  t.equal(seen.run.outcome?.kind, 'captured');
  t.equal(seen.reply.status, 'fail', 'status', told(seen));
  t.ok(seen.signals.includes('screen_detected'), 'screen_detected', told(seen));
});

t.test('a photograph that is waved and tilted before the camera', { skip }, async (t) => {
  const seen = await attack(t, { answering: true, face: { flat: true }, patienceMs: patienceMs.waved });
  t.equal(seen.run.outcome?.kind, 'captured');
  t.equal(seen.reply.status, 'fail', 'status', told(seen));
  t.ok((seen.reply.scores.liveness ?? 1) < 0.5, 'liveness', told(seen));
});
