/** Pictures against claims: those of the capture agree, a still, another face and pictures that did not come do not. */
import t from 'tap';
import { cropFace } from '../../../src/contract/evidence-frames.js';
import type { SeenPictures } from '../../../src/contract/verdict.js';
import { findBlinks } from '../../../workers/verification/blink.js';
import { judgeChallenges, type Answer } from '../../../workers/verification/challenges.js';
import { readMotion } from '../../../workers/verification/geometry.js';
import { createRandom } from '../../../workers/seeded-random.js';
import { pointCount, readTrack } from '../../../workers/verification/landmarks.js';
import { doubtPictures as doubt } from '../../../workers/verification/pictures.js';
import { callsFor, captureHuman, challengesOf, peakOf, type Capture } from '../../helpers/captures.js';
import { gauss } from '../../helpers/head.js';

const side = 96;
const noTrack = { startedAtMs: 0, endedAtMs: 0, firstFrame: 0, lastFrame: -1 };
const challenges = challengesOf('blink', 'turn_left', 'smile');
const capture = captureHuman({ challenges, topology: 'key23' });
const count = capture.frames.atMs.length;
const answers = challenges.map((challenge, index): Answer => {
  const { startedAtMs, endedAtMs, firstFrame, lastFrame } = capture.challenges[index] ?? noTrack;
  const openMs = endedAtMs - startedAtMs;
  const peakFrame = peakOf(capture, challenge.id, challenge.type);
  return { challenge, openMs, endedAtMs, peakFrame, range: [firstFrame, lastFrame] };
});
const doubtPictures = (pictures: SeenPictures, frames = capture.frames, given = answers): ReturnType<typeof doubt> =>
  doubt(pictures, frames, given);

/** Each answer at its furthest and on its way, and some of the rest. */
const named = [
  1,
  3,
  5,
  ...answers.flatMap(({ peakFrame }) => [-1, 0, 1].map((offset) => (peakFrame ?? 0) + offset)),
].filter((index) => index < count);

const pointsOf = ({ frames }: Capture, frame: number): Float64Array => {
  const { x, y } = readTrack(frames);
  return Float64Array.from(
    { length: pointCount * 2 },
    (_, at) => (at % 2 === 0 ? x : y)[frame * pointCount + (at >> 1)] ?? 0,
  );
};

/** The picture of a frame whose square the claims of `claimed` set, read with an error of `noise` pixels. */
function showFrame(claimed: Float64Array, actual: Float64Array, noise: number, random: () => number): number[] {
  const crop = cropFace(claimed);
  return [...actual].map(
    (value, at) => ((value - (at % 2 === 0 ? crop.x : crop.y)) / crop.side + 0.5) * side - 0.5 + gauss(random) * noise,
  );
}

/** Pictures of `shown`, sent with the claims of `capture`. */
function picturesOf(shown: (frame: number) => Float64Array | null, noise = 0.4): SeenPictures {
  const random = createRandom(5);
  const faces = named.map((frame) => {
    const actual = shown(frame);
    return { side, points: actual === null ? null : showFrame(pointsOf(capture, frame), actual, noise, random) };
  });
  return { named, faces, likeness: [] };
}

t.test('pictures of the capture agree with what was measured, read as roughly as a small picture can be', async (t) => {
  t.equal(
    doubtPictures(
      picturesOf((frame) => pointsOf(capture, frame)),
      capture.frames,
    ),
    null,
  );
});

t.test('two of twelve may be a blur', async (t) => {
  const blurred = picturesOf((frame) => (frame === 1 || frame === 3 ? null : pointsOf(capture, frame)));
  t.equal(doubtPictures(blurred, capture.frames), null);
});

t.test('a still under the claims of somebody who moves', async (t) => {
  const still = pointsOf(capture, 1);
  const pictures = picturesOf(() => still);
  t.equal(doubtPictures(pictures, capture.frames), 'other_face');
});

t.test('a still that is moved to where the claims are', async (t) => {
  const still = pointsOf(capture, 1);
  const moved = picturesOf((frame) => {
    const [from, to] = [cropFace(still), cropFace(pointsOf(capture, frame))];
    return still.map((value, at) => value + (at % 2 === 0 ? to.x - from.x : to.y - from.y));
  });
  t.equal(doubtPictures(moved), 'other_face', 'of a turn and its ways');
});

/** Pictures in which one answer goes a share of what its points claim: its own place, and the face between that moment and another. */
function picturesShowing({ range: [first, last] }: Answer, share: number): SeenPictures {
  const rest = pointsOf(capture, 1);
  return picturesOf((frame) => {
    const own = pointsOf(capture, frame);
    if (frame < first || frame > last) return own;
    const [from, to] = [cropFace(rest), cropFace(own)];
    return rest.map((value, at) => {
      const still = value + (at % 2 === 0 ? to.x - from.x : to.y - from.y);
      return still + ((own[at] ?? 0) - still) * share;
    });
  });
}

t.test('points of one answer that its pictures do not show', async (t) => {
  for (const answer of answers) {
    const { type } = answer.challenge;
    // The points of a head that turned are far from those of one that did not.
    const doubted = type === 'turn_left' ? 'other_face' : 'other_movement';
    t.equal(doubtPictures(picturesShowing(answer, 0.1)), doubted, type);
  }
});

t.test('answers that small pictures show as little as honest ones do at worst', async (t) => {
  for (const answer of answers) {
    // The least of 72 computed smiles was 0.45.
    const share = answer.challenge.type === 'smile' ? 0.45 : 0.7;
    t.equal(doubtPictures(picturesShowing(answer, share)), null, answer.challenge.type);
  }
});

t.test('a peak that is none, that the page did not name, or after which it waited for pictures', async (t) => {
  const own = picturesOf((frame) => pointsOf(capture, frame));
  for (const over of [{ peakFrame: 1 }, { peakFrame: null }, { endedAtMs: 9_000 }]) {
    const given = answers.map((answer) => (answer.challenge.type === 'turn_left' ? { ...answer, ...over } : answer));
    t.equal(doubtPictures(own, capture.frames, given), 'other_movement', JSON.stringify(over));
  }
  // A page that saw no answer waits to the end. Its last frame is from before, and it may have begun again after a wrong movement.
  const late = answers.map((answer) => ({ ...answer, openMs: answer.challenge.timeoutMs + 20, endedAtMs: 12_000 }));
  t.equal(doubtPictures(own, capture.frames, late), null, 'a challenge that took all its time');
});

t.test('how long a challenge was open is what the service saw of it, whatever the page says', async (t) => {
  const track = readTrack(capture.frames);
  const motion = readMotion(track);
  const waitedMs = 6_500;
  const calls = callsFor(challenges, capture, 0).map((call) => ({
    ...call,
    atMs: call.atMs + (call.index > 0 ? waitedMs : 0),
  }));
  const [first, second] = calls;
  if (first === undefined || second === undefined || 'done' in first.reply) throw new Error('no challenge');
  const judged = judgeChallenges({ count, calls }, capture, { track, motion, blinks: findBlinks(motion) });
  t.equal(judged.answers[0]?.openMs, second.atMs - first.atMs - first.reply.startAfterMs);
  t.ok((judged.answers[0]?.openMs ?? 0) > waitedMs);
});

t.test('one picture for a head that turned', async (t) => {
  const own = picturesOf((frame) => pointsOf(capture, frame));
  for (const [alike, doubted] of [
    [0.94, null],
    [0.97, 'other_movement'],
  ] as const)
    t.equal(doubtPictures({ ...own, likeness: named.map(() => named.map(() => alike)) }), doubted);
});

t.test('a face of other proportions, and no face', async (t) => {
  const wide = (frame: number): Float64Array => {
    const own = pointsOf(capture, frame);
    const middle = cropFace(own).x;
    return own.map((value, at) => (at % 2 === 0 ? middle + (value - middle) * 1.35 : value));
  };
  t.equal(doubtPictures(picturesOf(wide), capture.frames), 'other_face');
  t.equal(
    doubtPictures(
      picturesOf(() => null),
      capture.frames,
    ),
    'other_face',
  );
});

t.test('pictures that did not come, and fewer than show anything', async (t) => {
  t.equal(doubtPictures({ named, faces: null, likeness: [] }, capture.frames), 'missing');
  t.equal(doubtPictures({ named: [], faces: [], likeness: [] }, capture.frames), 'missing');
});
