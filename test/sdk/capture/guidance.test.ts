/** The page’s own reading against the service’s: what looks done to the page is an answer to the service, and the points are the same. */
import t from 'tap';
import { frameCountMax } from '../../../src/limits.js';
import { challengeTypes } from '../../../src/contract/verdict.js';
import { direct } from '../../../sdk/capture/director.js';
import { watchGesture } from '../../../sdk/capture/gesture.js';
import { readPose, type Pose } from '../../../sdk/capture/pose.js';
import { createRecorder, framesMax } from '../../../sdk/capture/recorder.js';
import type { FrameAnalysis } from '../../../sdk/capture/frame-analysis.js';
import { keyPoints } from '../../../sdk/capture/worker/mesh-points.js';
import { findBlinks } from '../../../workers/verification/blink.js';
import { judgeChallenges } from '../../../workers/verification/challenges.js';
import { readMotion } from '../../../workers/verification/geometry.js';
import { layouts, pointCount, readTrack, type Track } from '../../../workers/verification/landmarks.js';
import { captureHuman, capturePhoto, challengesOf, type Capture } from '../../helpers/captures.js';

const posesOf = (track: Track): Pose[] =>
  Array.from({ length: track.count }, (_, frame) =>
    readPose(
      Array.from({ length: pointCount * 2 }, (_value, index) => {
        const place = frame * pointCount + (index >> 1);
        return (index % 2 === 0 ? track.x[place] : track.y[place]) ?? 0;
      }),
    ),
  );

/** Whether the page would have gone on from the first challenge. */
function looksDone({ frames, challenges }: Capture, type: (typeof challengeTypes)[number]): boolean {
  const poses = posesOf(readTrack(frames));
  const from = challenges[0]?.firstFrame ?? 0;
  const watch = watchGesture(type, poses.slice(0, from));
  return poses.slice(from).some((pose) => watch.see(pose).kind === 'done');
}

t.test('what the page takes for done, the service takes for an answer', (t) => {
  for (const type of challengeTypes) {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const challenges = challengesOf(type);
      const capture = captureHuman({ seed, challenges, framesPerSecond: 24, topology: 'key23', leadMs: 1_200 });
      t.equal(looksDone(capture, type), true, `${type} of person ${seed} looks done`);
      const track = readTrack(capture.frames);
      const motion = readMotion(track);
      const judged = judgeChallenges(challenges, capture.challenges, track, motion, findBlinks(motion));
      t.equal(judged.answered, 1, `${type} of person ${seed} is an answer`);
    }
  }
  t.end();
});

t.test('another movement than the one asked for does not look done, nor does a photograph blink or smile', (t) => {
  for (const [asked, done] of [
    ['blink', 'smile'],
    ['turn_left', 'turn_right'],
    ['turn_right', 'turn_left'],
    ['smile', 'blink'],
    ['nod', 'smile'],
  ] as const) {
    const capture = captureHuman({
      challenges: challengesOf(asked),
      performed: [done],
      framesPerSecond: 24,
      leadMs: 1_200,
    });
    t.equal(looksDone(capture, asked), false, `${done} for ${asked}`);
  }
  const photo = capturePhoto({ challenges: challengesOf('blink'), performed: [], framesPerSecond: 24 });
  t.equal(looksDone(photo, 'smile'), false);
  t.end();
});

t.test('the page sends the points that the service reads, and no more frames than it takes', (t) => {
  t.same(keyPoints, layouts.mesh478);
  t.equal(framesMax, frameCountMax);
  t.end();
});

t.test('a capture that is too long keeps its answers whole and its order', (t) => {
  const recorder = createRecorder();
  const points = new Float32Array(pointCount * 2).map((_, index) => 100 + index);
  const seen = { width: 640, height: 480, faces: 1, brightness: 0.5, points };
  for (let frame = 0; frame < 900; frame += 1) {
    recorder.add(frame * 40, { ...seen, picture: null, hash: frame.toString(16).padStart(8, '0') });
    if (frame === 300) recorder.close('first', 8_000, 12_000);
    if (frame === 880) recorder.close('second', 33_000, 35_200);
  }
  recorder.add(36_000, { ...seen, points: null, picture: null, hash: '0'.repeat(8) });
  const packed = recorder.pack();
  const frames = packed?.frames;
  t.ok((frames?.atMs.length ?? Infinity) <= framesMax);
  t.equal(frames?.missed, 1);
  t.same(
    frames?.atMs,
    [...(frames?.atMs ?? [])].sort((a, b) => a - b),
  );
  t.equal(frames?.hashes?.length, frames?.atMs.length);
  t.match(
    packed?.challenges.map(({ id }) => id),
    ['first', 'second'],
  );
  const answer = frames?.atMs.filter((atMs) => atMs > 10_000 && atMs <= 12_000) ?? [];
  t.equal(answer.length, 50, 'the last two seconds of an answered challenge are whole');
  t.equal(createRecorder().pack(), null, 'nothing seen, nothing sent');
  t.end();
});

t.test('whoever asks for more time gets all of it again, ten times, and the service takes the answer', async (t) => {
  const { frames } = captureHuman({ challenges: [], leadMs: 1_000, topology: 'key23' });
  const track = readTrack(frames);
  const points = Float32Array.from({ length: pointCount * 2 }, (_value, index) =>
    Number((index % 2 === 0 ? track.x[index >> 1] : track.y[index >> 1]) ?? 0),
  );
  const analysis: FrameAnalysis = {
    points,
    picture: null,
    hash: '',
    faces: 1,
    brightness: 0.5,
    width: frames.width,
    height: frames.height,
  };
  /** One challenge that is never answered; `asks` are the times at which more time is asked for. */
  const run = async (asks: (sinceMs: number) => boolean) => {
    let atMs = 0;
    const closed: number[][] = [];
    const lefts: number[] = [];
    let beganMs = Infinity;
    await direct(
      {
        take: async () => ({ atMs: (atMs += 100), analysis }),
        guide: (step) => {
          if (step.kind !== 'challenge') return;
          beganMs = Math.min(beganMs, atMs);
          lefts.push(step.leftMs);
        },
        takeMoreTime: () => asks(atMs - beganMs),
        recorder: { close: (_id, startedAtMs, endedAtMs) => closed.push([startedAtMs - beganMs, endedAtMs - beganMs]) },
        now: () => atMs,
        originMs: 0,
      },
      [{ id: 'c', type: 'nod', timeoutMs: 8_000 }],
    );
    return { closed, lefts };
  };
  t.strictSame((await run(() => false)).closed, [[0, 8_000]]);
  const once = await run((sinceMs) => sinceMs === 6_000);
  t.strictSame(
    once.closed,
    [[6_000, 14_000]],
    'its time is counted from then, and is no longer than the service allows',
  );
  t.ok(
    once.lefts.some((leftMs, index) => leftMs > (once.lefts[index - 1] ?? Infinity)),
    'and the respondent sees it',
  );
  const [always] = (await run(() => true)).closed;
  t.equal((always?.[1] ?? 0) - (always?.[0] ?? 0), 8_000);
  t.ok((always?.[1] ?? 0) < 11 * 8_000, 'it ends');
});
