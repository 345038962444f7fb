/** Pictures against claims: those of the capture agree, a still, another face and pictures that did not come do not. */
import t from 'tap';
import { cropFace } from '../../../src/contract/evidence-frames.js';
import type { SeenPictures } from '../../../src/contract/verdict.js';
import { createRandom } from '../../../workers/seeded-random.js';
import { pointCount, readTrack } from '../../../workers/verification/landmarks.js';
import { doubtPictures } from '../../../workers/verification/pictures.js';
import { captureHuman, challengesOf, type Capture } from '../../helpers/captures.js';
import { gauss } from '../../helpers/head.js';

const side = 96;
const capture = captureHuman({ challenges: challengesOf('blink', 'turn_left', 'smile'), topology: 'key23' });
const count = capture.frames.atMs.length;

/** Three frames of each challenge about its middle, and some of the rest. */
const named = [
  1,
  3,
  5,
  ...capture.challenges.flatMap(({ firstFrame }) => [6, 7, 8].map((offset) => firstFrame + offset)),
].filter((index) => index < count);

const pointsOf = ({ frames }: Capture, frame: number): Float64Array => {
  const { x, y } = readTrack(frames);
  return Float64Array.from(
    { length: pointCount * 2 },
    (_, at) => (at % 2 === 0 ? x : y)[frame * pointCount + (at >> 1)] ?? 0,
  );
};

/** What a picture of a frame shows whose square the claims of `claimed` set, read with an error of `noise` pixels. */
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
  return { named, faces };
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
  t.equal(doubtPictures(moved, capture.frames), 'other_movement');
});

t.test('eyes that stay open where a blink was claimed', async (t) => {
  const [blink] = capture.challenges;
  const shut = Array.from({ length: 14 }, (_, at) => (blink?.firstFrame ?? 0) + at);
  const pictures = { ...picturesOf(() => null), named: shut };
  const random = createRandom(6);
  const rest = pointsOf(capture, 1);
  const faces = shut.map((frame) => {
    const own = pointsOf(capture, frame);
    // The lids of another moment.
    const open = own.map((value, at) =>
      at < 24 ? (rest[at] ?? 0) + (own[26 + (at % 2)] ?? 0) - (rest[26 + (at % 2)] ?? 0) : value,
    );
    return { side, points: showFrame(own, open, 0.2, random) };
  });
  t.equal(doubtPictures({ ...pictures, faces }, capture.frames), 'other_movement');
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
  t.equal(doubtPictures({ named, faces: null }, capture.frames), 'missing');
  t.equal(doubtPictures({ named: [], faces: [] }, capture.frames), 'missing');
});
