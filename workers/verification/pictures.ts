/**
 * Holds what the service saw in the pictures of a capture against what the page claimed of the same frames: the points of the face, each answer at
 * its furthest, and that a head which turned is not one picture. docs/internals/capture-measurements.md says how far honest pictures differ.
 */
import { cropFace, cropSideInEyes } from '../../src/contract/evidence-frames.js';
import type { EnvelopeFrames } from '../../src/contract/envelope.js';
import type { ChallengeType, SeenPictures } from '../../src/contract/verdict.js';
import type { Answer } from './challenges.js';
import { readMotion, type Motion } from './geometry.js';
import { gestureEdges } from './gestures.js';
import { pointCount, readTrack, type Track } from './landmarks.js';
import { median } from './series.js';

const pictureEdges = {
  /** Fewer pictures show too little. */
  picturesMin: 4,
  /** Root mean square distance of the points, in widths between the eyes’ outer corners. */
  apartMax: 0.09,
  /** Share of the pictures that may show no face, or another one: a blur, an eye read wrongly. */
  missesMax: 0.2,
  /** Degrees that the head is said to have turned or nodded between two pictures, and how alike these may be all the same. */
  turnApart: gestureEdges.turnMin,
  nodApart: gestureEdges.nodFull,
  sameMin: 0.95,
} as const;

const answerEdges = {
  /** The points go this share of their furthest at the frame that the page named. */
  furthestMin: 0.7,
  /** The pictures show this share of what their points claim. The corners of a mouth move by four pixels, and are read to half of one. */
  shownMin: 0.5,
  smileShownMin: 0.3,
  /** A movement up to this share is at rest. */
  restShare: 0.35,
  /** An answer is over below this share of its furthest; then the page asks for the next challenge within this time, ms. */
  returnShare: 0.5,
  idleMsMax: 3_000,
} as const;

/** Evidence in the pictures against a capture. */
export type PictureDoubt = 'unneeded' | 'missing' | 'other_face' | 'other_movement';

/** null where pictures and claims agree. */
export function doubtPictures(
  { named, faces, likeness, isUnneeded }: SeenPictures,
  frames: EnvelopeFrames,
  answers: readonly Answer[],
): PictureDoubt | null {
  if (isUnneeded === true) return 'unneeded';
  if (faces === null || named.length < pictureEdges.picturesMin) return 'missing';
  const track = readTrack(frames);
  const shown = placeShown(track, named, faces);
  const missesMax = named.length * pictureEdges.missesMax;
  const alike = shown.apart.filter((apart) => apart <= pictureEdges.apartMax).length;
  if (named.length - alike > missesMax) return 'other_face';
  const [claimed, seen] = [readMotion(track), readMotion(shown.track)];
  const isShown = answers.every((answer) => isAnswerShown(answer, claimed, shown, seen));
  return isShown && !isOnePicture(claimed, shown, likeness) ? null : 'other_movement';
}

interface Shown {
  /** The points seen, in pixels of their frames; frames whose picture shows no face stay away. */
  readonly track: Track;
  /** The index of each in the claimed track, in the envelope, and among the pictures. */
  readonly places: readonly number[];
  readonly frames: readonly number[];
  readonly pictures: readonly number[];
  /** Distance of its points from those claimed, in widths of the eyes. */
  readonly apart: readonly number[];
}

function placeShown(track: Track, named: readonly number[], faces: NonNullable<SeenPictures['faces']>): Shown {
  const x = new Float64Array(named.length * pointCount);
  const y = new Float64Array(named.length * pointCount);
  const places: number[] = [];
  const pictures: number[] = [];
  const apart: number[] = [];
  const sources = track.source.subarray(0, track.count);
  for (const [index, frame] of named.entries()) {
    const { points = null, side = 0 } = faces[index] ?? {};
    const place = sources.indexOf(frame);
    if (points === null || place < 0) continue;
    const at = (point: number): number => place * pointCount + point;
    const claimed = Float64Array.from(
      { length: pointCount * 2 },
      (_, value) => (value % 2 === 0 ? track.x : track.y)[at(value >> 1)] ?? 0,
    );
    const crop = cropFace(claimed);
    const inFrame = (middle: number, value: number): number => middle + ((value + 0.5) / side - 0.5) * crop.side;
    const to = places.length * pointCount;
    let squares = 0;
    for (let point = 0; point < pointCount; point += 1) {
      const across = inFrame(crop.x, points[point * 2] ?? 0);
      const down = inFrame(crop.y, points[point * 2 + 1] ?? 0);
      x[to + point] = across;
      y[to + point] = down;
      squares += (across - (claimed[point * 2] ?? 0)) ** 2 + (down - (claimed[point * 2 + 1] ?? 0)) ** 2;
    }
    places.push(place);
    pictures.push(index);
    apart.push((Math.sqrt(squares / pointCount) / crop.side) * cropSideInEyes);
  }
  // Far apart: each picture is read by itself, and not as a mean with those next to it.
  const atMs = Float64Array.from(places, (_, index) => index * 1_000);
  const frames = pictures.map((picture) => named[picture] ?? 0);
  return { track: { ...track, count: places.length, atMs, x, y }, places, frames, pictures, apart };
}

/** Whether the pictures of an answer show it: that of the frame which the page named before it knew that it would have to show it, and those around. */
function isAnswerShown(
  { challenge: { type, timeoutMs }, openMs, endedAtMs, peakFrame, range: [first, last] }: Answer,
  claimed: Motion,
  { places, frames }: Shown,
  shown: Motion,
): boolean {
  const index = frames.indexOf(peakFrame ?? -1);
  const peak = places[index];
  if (peak === undefined || peak < first || peak > last) return false;
  const { read, isRelative, shownMin } = readings[type];
  const values = Float64Array.from({ length: claimed.count }, (_, frame) => read(claimed, frame));
  const from = (rest: number, value: number): number => (isRelative ? value / Math.max(rest, 1e-3) - 1 : value - rest);
  const rest = median(values.subarray(0, Math.min(first + gestureEdges.restFrames, last + 1)));
  const away = (frame: number): number => from(rest, values[frame] ?? rest);
  const reached = away(peak);
  const share = (frame: number): number => away(frame) / reached;
  const { furthestMin, restShare, idleMsMax, returnShare } = answerEdges;
  let over = last;
  for (let frame = first; frame <= last; frame += 1) if (Math.abs(share(frame)) * furthestMin > 1) return false;
  while (over > peak && share(over) < returnShare) over -= 1;
  // Whoever saw the answer asks for the next challenge; whoever saw none waits for as long as it may take.
  const isIdle = endedAtMs - (claimed.atMs[over] ?? 0) > idleMsMax && openMs < timeoutMs;
  const rests = places.flatMap((place, at) => (Math.abs(share(place)) < restShare ? [read(shown, at)] : []));
  if (isIdle || rests.length === 0) return false;
  const restShown = median(rests);
  // Least squares through rest: the further a picture’s points go, the more it says.
  let [both, squares] = [0, 0];
  for (const [at, place] of places.entries()) {
    if (place < first || place > last) continue;
    both += share(place) * (from(restShown, read(shown, at)) / reached);
    squares += share(place) ** 2;
  }
  return both / squares >= shownMin;
}

type Reading = (motion: Motion, frame: number) => number;
const { shownMin, smileShownMin } = answerEdges;
const turned: { readonly read: Reading; readonly isRelative: boolean; readonly shownMin: number } = {
  read: ({ yaw }, frame) => yaw[frame] ?? 0,
  isRelative: false,
  shownMin,
};
const readings: Readonly<Record<ChallengeType, typeof turned>> = {
  blink: {
    read: ({ rightEye, leftEye }, frame) => (rightEye[frame] ?? 0) + (leftEye[frame] ?? 0),
    isRelative: true,
    shownMin,
  },
  smile: { read: ({ mouthWidth }, frame) => mouthWidth[frame] ?? 0, isRelative: true, shownMin: smileShownMin },
  nod: { read: ({ pitch }, frame) => pitch[frame] ?? 0, isRelative: false, shownMin },
  turn_left: turned,
  turn_right: turned,
};

/** Whether two pictures are one, laid on each other, while their points say that the head turned or nodded between them. */
function isOnePicture(
  { yaw, pitch }: Motion,
  { places, pictures }: Shown,
  likeness: SeenPictures['likeness'],
): boolean {
  const { turnApart, nodApart, sameMin } = pictureEdges;
  const apart = (values: Float64Array, a: number, b: number): number => Math.abs((values[a] ?? 0) - (values[b] ?? 0));
  return places.some((a, one) =>
    places.some(
      (b, other) =>
        (apart(yaw, a, b) >= turnApart || apart(pitch, a, b) >= nodApart) &&
        (likeness[pictures[one] ?? -1]?.[pictures[other] ?? -1] ?? 0) > sameMin,
    ),
  );
}
