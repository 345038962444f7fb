/**
 * Marks by which a movement is recognised when it comes again: nudged, turned, mirrored, enlarged, moved, with frames left out or put between, or
 * at another pace. A mark is taken wherever the face has just moved by a whole step, so that the same moments are marked whichever frames show
 * them: where the face is before and after, seen from there, along its own line of the eyes and in its own size, in cells that a nudge seldom leaves
 * and that two captures, even of one person, seldom share. A face that stands still has no marks, because everybody stands still alike.
 */
import { createHash } from 'node:crypto';
import type { EnvelopeFrames } from '../../src/contract/envelope.js';
import { point, pointCount, readTrack, type Track } from './landmarks.js';

/** A copy of a recording may be stretched or pressed by these factors. */
const otherPaces = [0.82, 0.86, 0.9, 0.95, 1.05, 1.1, 1.16, 1.22] as const;
/** Between places of the curve, ms; and twice in turn, each is the mean of so many to either side. */
const gridMs = 20;
const smoothing = 5;
/** Longest part of a capture that is marked, ms. */
const spanMsMax = 90_000;
/** The face moved by a step within this time, ms, in sizes of the face. A jump of several between two places is none of a face. */
const stepMs = 240;
const step = 0.06;
const stepsMax = 4;
/** When it is looked at before and after, ms. */
const lagsMs = [-600, -450, -300, -150, 150, 300, 450, 600] as const;
/** Widths of the cells, in sizes of the face: of its position, and of how far its middle stands to a side. The last number is the start of the cells. */
const placeCell = 0.05;
const turnCell = 0.04;
const cellStart = 0.37;
/** A mark is 64 bits: enough that no two captures of an organization share one by chance. */
export const markDigits = 16;

/** These of a frame are followed: the face’s middle and size, the line of its eyes, and its front against its middle. Pixels. */
const channels = ['x', 'y', 'size', 'eyesX', 'eyesY', 'frontX', 'frontY'] as const;
type Face = Readonly<Record<(typeof channels)[number], number>>;
type Curve = Readonly<Record<(typeof channels)[number], Float64Array>>;

export interface MotionMarks {
  readonly own: readonly string[];
  /** `own`, and those of the recording if this is one at another pace. */
  readonly atAnyPace: readonly string[];
}

export function markMotion(frames: EnvelopeFrames): MotionMarks {
  const track = readTrack(frames);
  if (track.count < 2) return { own: [], atAnyPace: [] };
  const faces = Array.from({ length: track.count }, (_, frame) => faceOf(track, frame));
  const atPace = (pace: number): readonly string[] =>
    marksOf(
      followFace(
        faces,
        track.atMs.subarray(0, track.count).map((at) => at * pace),
      ),
    );
  const own = atPace(1);
  return { own, atAnyPace: [...own, ...otherPaces.flatMap(atPace)] };
}

/** The channels at even times, on straight lines between frames. */
function followFace(faces: readonly Face[], atMs: Float64Array): Curve {
  const startMs = atMs[0] ?? 0;
  const spanMs = Math.min(spanMsMax, (atMs.at(-1) ?? 0) - startMs);
  const curve = curveOf(() => new Float64Array(Math.floor(spanMs / gridMs) + 1));
  let before = 0;
  for (let place = 0; place < curve.x.length; place += 1) {
    const at = startMs + place * gridMs;
    while (before < faces.length - 2 && (atMs[before + 1] ?? 0) < at) before += 1;
    const [from, to] = [atMs[before] ?? 0, atMs[before + 1] ?? 0];
    const share = (at - from) / (to - from);
    for (const name of channels)
      curve[name][place] = (faces[before]?.[name] ?? 0) * (1 - share) + (faces[before + 1]?.[name] ?? 0) * share;
  }
  return curveOf((name) => meanOf(meanOf(curve[name])));
}

function faceOf({ x, y }: Track, frame: number): Face {
  const from = frame * pointCount;
  const mean = (values: Float64Array, first: number, end: number): number => {
    let sum = 0;
    for (let index = from + first; index < from + end; index += 1) sum += values[index] ?? 0;
    return sum / (end - first);
  };
  const [middleX, middleY] = [mean(x, 0, pointCount), mean(y, 0, pointCount)];
  let size = 0;
  for (let index = from; index < from + pointCount; index += 1)
    size += Math.hypot((x[index] ?? 0) - middleX, (y[index] ?? 0) - middleY) / pointCount;
  const eyes = (values: Float64Array): number =>
    mean(values, point.leftInner, point.noseBridge) - mean(values, point.rightOuter, point.leftInner);
  const front = (values: Float64Array): number => mean(values, point.noseBridge, point.chin);
  return {
    ...{ x: middleX, y: middleY, size },
    ...{ eyesX: eyes(x), eyesY: eyes(y) },
    ...{ frontX: front(x) - middleX, frontY: front(y) - middleY },
  };
}

const curveOf = (make: (name: keyof Curve) => Float64Array): Curve =>
  Object.fromEntries(channels.map((name) => [name, make(name)] as const)) as Record<keyof Curve, Float64Array>;

function marksOf(curve: Curve): readonly string[] {
  const { x, y, size } = curve;
  const back = stepMs / gridMs;
  const moved = (place: number): number =>
    Math.hypot((x[place] ?? 0) - (x[place - back] ?? 0), (y[place] ?? 0) - (y[place - back] ?? 0)) /
    (size[place] ?? 0) /
    step;
  const marks: string[] = [];
  for (let place = back + 1; place < x.length; place += 1) {
    const [was, is] = [moved(place - 1), moved(place)];
    const [low, high] = [Math.min(was, is), Math.max(was, is)];
    if (!(high - low < stepsMax)) continue;
    for (let level = Math.max(1, Math.ceil(low)); level < high; level += 1) {
      const at = place - 1 + (level - was) / (is - was);
      const seen = lagsMs.map((lag) => at + lag / gridMs);
      if ((seen[0] ?? 0) >= 0 && (seen.at(-1) ?? 0) < x.length) marks.push(markAround(curve, at, seen));
    }
  }
  return marks;
}

/** Fewer at the ends. */
function meanOf(values: Float64Array): Float64Array {
  let [first, end, sum] = [0, 0, 0];
  return values.map((_, place) => {
    while (end < values.length && end <= place + smoothing) sum += values[end++] ?? 0;
    while (first < place - smoothing) sum -= values[first++] ?? 0;
    return sum / (end - first);
  });
}

/** A mirrored face moves the other way: whichever way it goes furthest counts as the one. */
function markAround(curve: Curve, at: number, seen: readonly number[]): string {
  const here = read(curve, at);
  const width = Math.hypot(here.eyesX, here.eyesY);
  const [cos, sin] = [here.eyesX / width, here.eyesY / width];
  const away = seen.map((place) => {
    const there = read(curve, place);
    const [right, down] = [there.x - here.x, there.y - here.y];
    return {
      across: (right * cos + down * sin) / here.size,
      along: (down * cos - right * sin) / here.size,
      turned: sideOf(there) - sideOf(here),
    };
  });
  const furthest = away.reduce((most, { across }) => (Math.abs(across) > Math.abs(most) ? across : most), 0);
  const way = Math.sign(furthest);
  const cell = (value: number, size: number): number => Math.floor(value / size + cellStart);
  const cells = away.map(({ across, along, turned }) => [
    cell(across * way, placeCell),
    cell(along, placeCell),
    cell(turned * way, turnCell),
  ]);
  return createHash('sha256').update(cells.join()).digest('hex').slice(0, markDigits);
}

/** How far the front of the face stands to a side of its middle, along the line of the eyes. */
const sideOf = ({ eyesX, eyesY, frontX, frontY, size }: Face): number =>
  (frontX * eyesX + frontY * eyesY) / Math.hypot(eyesX, eyesY) / size;

function read(curve: Curve, at: number): Face {
  const place = Math.min(curve.x.length - 2, Math.floor(at));
  const share = at - place;
  const between = (values: Float64Array): number =>
    (values[place] ?? 0) * (1 - share) + (values[place + 1] ?? 0) * share;
  return {
    x: between(curve.x),
    y: between(curve.y),
    size: between(curve.size),
    eyesX: between(curve.eyesX),
    eyesY: between(curve.eyesY),
    frontX: between(curve.frontX),
    frontY: between(curve.frontY),
  };
}
