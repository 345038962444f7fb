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
import { keepsCommitments } from '../../../workers/verification/commitments.js';
import { judgeChallenges } from '../../../workers/verification/challenges.js';
import { readMotion } from '../../../workers/verification/geometry.js';
import { layouts, pointCount, readTrack, type Track } from '../../../workers/verification/landmarks.js';
import { callsFor, captureHuman, capturePhoto, challengesOf, type Capture } from '../../helpers/captures.js';

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
      const judged = judgeChallenges({ count: 1, calls: callsFor(challenges, capture, 0) }, capture, {
        track,
        motion,
        blinks: findBlinks(motion),
      });
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

t.test('a capture that is too long keeps its answers whole, its order and what was committed to', async (t) => {
  const recorder = createRecorder(2);
  const committed: Awaited<ReturnType<typeof recorder.commit>>[] = [];
  const points = new Float32Array(pointCount * 2).map((_, index) => 100 + index);
  const seen = { width: 640, height: 480, faces: 1, brightness: 0.5, points };
  for (let frame = 0; frame < 900; frame += 1) {
    recorder.add(frame * 40, { ...seen, picture: null, hash: frame.toString(16).padStart(8, '0') });
    if (frame === 300) recorder.close('first', 8_000, 12_000);
    if (frame === 240) recorder.markPeak();
    if (frame === 880) recorder.close('second', 33_000, 35_200);
    if (frame === 150 || frame === 300 || frame === 899) committed.push(await recorder.commit());
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
  const calls = committed.map((each, index) => ({
    index,
    ...each,
    atMs: 0,
    reply: { done: true as const, frameIndices: [] },
  }));
  const last = calls.slice(-1);
  const asked = calls.slice(0, -1).map((call) => ({ ...call, reply: { ...revealed, index: call.index } }));
  t.same(
    committed.map(({ peakFrame }) => (peakFrame == null ? null : frames?.atMs[peakFrame])),
    [null, 9_600, null],
    'the peak of an answer is never thinned',
  );
  if (frames !== undefined) {
    t.equal(last[0]?.frameCount, frames.atMs.length);
    t.equal(keepsCommitments(frames, [...asked, ...last]), true, 'as the service checks it');
    const [first, ...others] = frames.atMs;
    const shifted = { ...frames, atMs: [(first ?? 0) + 1, ...others] };
    t.equal(keepsCommitments(shifted, [...asked, ...last]), false, 'nothing of it can be changed afterwards');
  }
  t.equal(createRecorder(1).pack(), null, 'nothing seen, nothing sent');
  t.same(await createRecorder(1).commit(), { commitment: null, frameCount: 0, peakFrame: null });
});

const revealed = { index: 0, id: 'c', type: 'nod', timeoutMs: 8_000, startAfterMs: 500 } as const;

t.test(
  'a slow answer of the service costs frames and no challenge: each starts as long after it as the service said',
  async (t) => {
    let atMs = 0;
    const seen: { readonly kind: string; readonly atMs: number }[] = [];
    const asked: { readonly index: number; readonly atMs: number }[] = [];
    const waits: { readonly untilMs: number; readonly answer: () => void }[] = [];
    const tick = async (): Promise<void> => {
      atMs += 100;
      for (const { untilMs, answer } of waits) if (atMs >= untilMs) answer();
      await new Promise((resolve) => setImmediate(resolve));
    };
    const analysis: FrameAnalysis = {
      points: null,
      picture: null,
      hash: '',
      faces: 0,
      brightness: 0.5,
      width: 640,
      height: 480,
    };
    const { frames } = captureHuman({ challenges: [], leadMs: 1_000, topology: 'key23' });
    const [pose] = [readTrack(frames)].map(({ x, y }) =>
      Float32Array.from({ length: pointCount * 2 }, (_value, index) => (index % 2 === 0 ? x : y)[index >> 1] ?? 0),
    );
    const direction = await direct(
      {
        take: async () => {
          await tick();
          return { atMs, analysis: { ...analysis, points: pose ?? null, faces: 1 } };
        },
        guide: ({ kind }) => seen.push({ kind, atMs }),
        takeMoreTime: () => false,
        recorder: {
          close: () => undefined,
          markPeak: () => undefined,
          commit: async () => ({ commitment: null, frameCount: 0, peakFrame: null }),
        },
        nextChallenge: ({ index }) => {
          asked.push({ index, atMs });
          if (index === 2) return Promise.resolve({ done: true, frameIndices: [] });
          return new Promise((resolve) =>
            waits.push({ untilMs: atMs + 3_000, answer: () => resolve({ ...revealed, index, id: `c${index}` }) }),
          );
        },
        now: () => atMs,
        originMs: 0,
      },
      2,
    );
    t.equal(direction.end, 'done');
    t.same(
      asked.map(({ index }) => index),
      [0, 1, 2],
    );
    for (const { index, atMs: askedMs } of asked.slice(0, 2)) {
      const shown = seen.find(({ kind, atMs: at }) => kind === 'challenge' && at > askedMs)?.atMs ?? 0;
      t.ok(
        shown >= askedMs + 3_500 && shown <= askedMs + 3_700,
        `${index}: ${shown - askedMs} ms after it was asked for`,
      );
      const idle = seen.filter(({ atMs: at }) => at > askedMs + 800 && at < shown);
      t.ok(idle.length > 0 && idle.every(({ kind }) => kind === 'look_straight'), 'a neutral screen meanwhile');
    }
  },
);

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
        recorder: {
          close: (_id, startedAtMs, endedAtMs) => closed.push([startedAtMs - beganMs, endedAtMs - beganMs]),
          markPeak: () => undefined,
          commit: async () => ({ commitment: null, frameCount: 0, peakFrame: null }),
        },
        nextChallenge: async ({ index }) => (index === 0 ? revealed : { done: true, frameIndices: [] }),
        now: () => atMs,
        originMs: 0,
      },
      1,
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
