/**
 * What is held before the camera, or put in its place, instead of a person: none of it passes. Each is judged under the name of a real camera,
 * so that it is what the camera saw that decides.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openCapturePage, withoutChromium } from '../../helpers/capture-page.js';
import { takePart, type Participation } from '../../helpers/capture-session.js';
import { temporaryDirectory } from '../../helpers/directories.js';

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

/** A file that Chromium shows as a camera, over and over: frames of the computed person, who moves at the frames named. */
async function recordClip(t: Test, count: number, moveAt: Readonly<Record<number, string>>): Promise<string> {
  const { page, placeFace } = await openCapturePage(t);
  await placeFace({});
  const frames: string[] = await page.evaluate(`recordFace(${count}, ${JSON.stringify(moveAt)})`);
  const file = join(temporaryDirectory(t), 'clip.mjpeg');
  writeFileSync(file, Buffer.concat(frames.map((frame) => Buffer.from(frame, 'base64'))));
  await page.close();
  return file;
}

const playing = (file: string) => ({
  args: ['--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${file}`],
});

t.test('a still photograph in place of the camera', { skip }, async (t) => {
  const page = playing(await recordClip(t, 1, {}));
  const seen = await takePart(t, { answering: false, face: null, page, label });
  t.equal(seen.run.outcome?.kind, 'captured', 'a still shows a face');
  t.equal(seen.reply.status, 'fail', 'status', told(seen));
  t.ok(seen.signals.includes('frozen_frames'), 'frozen_frames', told(seen));
  t.equal(seen.run.outcome?.telemetry['challengesPassed'], 0);
});

t.test('a clip that turns, blinks and smiles, in a circle', { skip }, async (t) => {
  const page = playing(await recordClip(t, 60, { 4: 'blink', 14: 'turn_left', 38: 'smile' }));
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
