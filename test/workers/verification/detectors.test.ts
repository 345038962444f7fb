import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import type { EnvelopeFrames } from '../../../src/contract/envelope.js';
import { findBlinks } from '../../../workers/verification/blink.js';
import { findVirtualCamera, measureScreen } from '../../../workers/verification/screen.js';
import { measureTiming } from '../../../workers/verification/frame-timing.js';
import { readMotion, type Motion } from '../../../workers/verification/geometry.js';
import { fitPlane, measureParallax } from '../../../workers/verification/parallax.js';
import { readTrack } from '../../../workers/verification/landmarks.js';
import { correlation, median, ramp, spread } from '../../../workers/verification/series.js';
import { captureHuman } from '../../helpers/captures.js';
import { createRandom } from '../../../workers/seeded-random.js';
import { readFramesWithoutTurn } from '../../helpers/recorded-captures.js';
import { atRest, packFrames, project, webcam, type Pose } from '../../helpers/head.js';

const still = { ...webcam, noise: 0 };
const motionOf = (poses: readonly Partial<Pose>[], stepMs = 33): Motion => {
  const places = poses.map((pose) => project({ ...atRest, ...pose }, still, createRandom(1)));
  const atMs = poses.map((_, index) => index * stepMs);
  return readMotion(readTrack(packFrames(places, atMs, 'key23', still)));
};

const depthOf = (frames: EnvelopeFrames): number | null => {
  const track = readTrack(frames);
  return measureParallax(track, readMotion(track)).depth;
};

t.test('angles follow the head: to its own left and downwards positive, within 10 degrees at 20', (t) => {
  const angle = (pose: Partial<Pose>, name: 'yaw' | 'pitch' | 'roll') => motionOf([pose])[name][0] ?? NaN;
  for (const name of ['yaw', 'pitch', 'roll'] as const) {
    const sign = name === 'roll' ? -1 : 1;
    const read = [-20, -10, 0, 10, 20].map((degrees) => angle({ [name]: degrees * sign }, name) - angle({}, name));
    t.ok(
      read.every((value, index) => index === 0 || value > (read[index - 1] ?? 0) + 5),
      `${name}: ${read.join()}`,
    );
    t.ok(
      read.every((value, index) => Math.abs(value - (index - 2) * 10) < 10),
      `${name}: ${read.join()}`,
    );
  }
  t.end();
});

/** Eyes that close and open again in so many frames, 33 ms apart, between frames at rest. */
const eyes = (closed: readonly number[], over: Partial<Motion> = {}): Motion => ({
  ...motionOf(
    [...Array.from({ length: 8 }, () => 0), ...closed, ...Array.from({ length: 8 }, () => 0)].map((share) => ({
      closed: share,
    })),
  ),
  ...over,
});

t.test('a blink closes both eyes for as long as lids take, and no other closing is one', (t) => {
  t.equal(findBlinks(eyes([0.6, 1, 0.8, 0.5, 0.2])).length, 1);
  t.equal(findBlinks(eyes([])).length, 0);
  t.equal(findBlinks(eyes(Array.from({ length: 30 }, () => 1))).length, 0, 'shut for a second');
  t.equal(findBlinks(eyes([1])).length, 0, 'a single frame of 33 ms');
  const wink = eyes([0.6, 1, 0.8, 0.5, 0.2]);
  t.equal(findBlinks({ ...wink, leftEye: wink.leftEye.map(() => 0.3) }).length, 0, 'one eye');
  t.end();
});

t.test('a blink that opens faster than it closes is of less quality', (t) => {
  const quality = (closed: readonly number[]) => findBlinks(eyes(closed))[0]?.quality ?? 0;
  t.ok(quality([0.7, 1, 0.9, 0.8, 0.7, 0.6, 0.5]) > quality([0.5, 0.6, 0.7, 0.8, 0.9, 1, 0.7]));
  t.end();
});

t.test('points of a plane leave nothing, from whatever side, and points of a body do', (t) => {
  const turn = (flat: boolean) => {
    const poses = Array.from({ length: 12 }, (_, index) => ({ yaw: index * 3 }));
    const places = poses.map((pose) => project({ ...atRest, ...pose }, { ...still, flat }, createRandom(1)));
    const atMs = places.map((_, index) => index * 33);
    return depthOf(packFrames(places, atMs, 'key23', still));
  };
  t.equal(turn(false), 1);
  t.equal(turn(true), 0);
  t.equal(
    measureParallax(readTrack(captureHuman({ challenges: [] }).frames), motionOf([{}, {}])).depth,
    null,
    'nothing turned',
  );
  t.end();
});

t.test('a nod shows a body as a turn does, and a smile alone is not the tilt of a plane', (t) => {
  const frames = readFramesWithoutTurn();
  const measure = (from: number, to: number) => {
    const points = Buffer.from(frames.points, 'base64');
    const bytes = points.length / frames.atMs.length;
    return depthOf({
      ...frames,
      atMs: frames.atMs.slice(from, to),
      points: points.subarray(from * bytes, to * bytes).toString('base64'),
    });
  };
  // Whichever frames of the nod are compared.
  for (let from = 0; from < 8; from += 1) t.equal(measure(from, frames.atMs.length), 1, `from frame ${from}`);
  // The mouth is back by then, and the nod has not begun.
  const smileEnd = frames.atMs.findIndex((atMs) => atMs >= 3_500);
  t.equal(measure(0, smileEnd), null, 'a smile');
  t.end();
});

t.test('a map of a plane is found whatever it is, and points in one place settle none', (t) => {
  const x = [0, 1, 0, 1, 0.5, 0.2, 0.7];
  const y = [0, 0, 1, 1, 0.4, 0.9, 0.3];
  const small = fc.double({ min: -0.2, max: 0.2, noNaN: true });
  fc.assert(
    fc.property(small, small, small, small, small, small, (a, b, c, d, g, h) => {
      const scale = (i: number): number => 1 + g * (x[i] ?? 0) + h * (y[i] ?? 0);
      const u = x.map((value, i) => ((1 + a) * value + b * (y[i] ?? 0) + c) / scale(i));
      const v = y.map((value, i) => ((1 + d) * value + b * (x[i] ?? 0)) / scale(i));
      assert.ok((fitPlane(x, y, u, v)?.residual ?? 1) < 1e-6);
    }),
  );
  const nowhere = x.map(() => 0);
  t.equal(fitPlane(nowhere, nowhere, nowhere, nowhere), null);
  t.end();
});

t.test('frame times: rate, holes, times that go back, times that were counted up', (t) => {
  const { frames } = captureHuman({ framesPerSecond: 20 });
  const timing = (atMs: number[]) => measureTiming(readTrack({ ...frames, atMs }));
  const usual = timing(frames.atMs);
  t.match(usual, { even: false, backward: false, missing: 0 });
  t.ok(Math.abs(usual.rate - 20) < 1);
  t.equal(timing(frames.atMs.map((_, index) => index * 50)).even, true);
  t.equal(timing([...frames.atMs].reverse()).backward, true);
  t.ok(timing(frames.atMs.map((at, index) => (index > 30 ? at + 2_000 : at))).missing > 0.3);
  t.end();
});

t.test('a screen is likelier the more its signs show, and unknown where none was measured', (t) => {
  t.equal(measureScreen(null), null);
  t.equal(measureScreen({ sharpness: 1 }), null);
  t.equal(measureScreen({ moire: 0 }), 0);
  t.ok((measureScreen({ moire: 0.9 }) ?? 0) > 0.8);
  t.end();
});

t.test('labels of real cameras name no program', (t) => {
  for (const label of [
    'FaceTime HD Camera',
    'Integrated Webcam',
    'HD Pro Webcam C920 (046d:082d)',
    '',
    null,
    undefined,
  ])
    t.equal(findVirtualCamera(label), null);
  t.equal(findVirtualCamera('OBS Virtual Camera (m-de:vice)'), 'obs virtual');
  t.end();
});

t.test('statistics of nothing are 0', (t) => {
  t.same(
    [median([]), spread([]), correlation([], []), correlation([1, 1, 1], [1, 2, 3]), ramp(NaN, 0, 1)],
    [0, 0, 0, 0, 0],
  );
  t.equal(correlation([1, 2, 3, 4], [2, 4, 6, 8]), 1);
  t.end();
});
