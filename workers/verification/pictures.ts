/**
 * Holds what the service saw in the pictures of a capture against what the page claimed of the same frames: the points of the face, and the
 * movements among the frames named. docs/capture.md says how far honest pictures differ.
 */
import { cropFace, cropSideInEyes } from '../../src/contract/evidence-frames.js';
import type { EnvelopeFrames } from '../../src/contract/envelope.js';
import type { SeenPictures } from '../../src/contract/verdict.js';
import { blinkEdges } from './blink.js';
import { readMotion, type Motion } from './geometry.js';
import { gestureEdges } from './gestures.js';
import { pointCount, readTrack, type Track } from './landmarks.js';
import { median, quantile } from './series.js';

const pictureEdges = {
  /** Fewer pictures show too little. */
  picturesMin: 4,
  /** Root mean square distance of the points, in widths between the eyes’ outer corners. */
  apartMax: 0.09,
  /** An eye that was claimed to be shut is seen to be less open than this share of its opening. */
  shutShownMax: 0.85,
  /** Share of the pictures that may show no face, or another one: a blur, an eye read wrongly. */
  missesMax: 0.2,
} as const;

/** What the pictures say against a capture. */
export type PictureDoubt = 'missing' | 'other_face' | 'other_movement';

/** null where pictures and claims agree. */
export function doubtPictures({ named, faces }: SeenPictures, frames: EnvelopeFrames): PictureDoubt | null {
  if (faces === null || named.length < pictureEdges.picturesMin) return 'missing';
  const track = readTrack(frames);
  const shown = placeShown(track, named, faces);
  const missesMax = named.length * pictureEdges.missesMax;
  const alike = shown.apart.filter((apart) => apart <= pictureEdges.apartMax).length;
  if (named.length - alike > missesMax) return 'other_face';
  return isOtherMovement(readMotion(track), readMotion(shown.track), shown.places) ? 'other_movement' : null;
}

interface Shown {
  /** The points seen, in pixels of their frames; frames whose picture shows no face stay away. */
  readonly track: Track;
  /** Where each of them stands in the track that was claimed. */
  readonly places: readonly number[];
  /** Distance of its points from those claimed, in widths of the eyes. */
  readonly apart: readonly number[];
}

function placeShown(track: Track, named: readonly number[], faces: NonNullable<SeenPictures['faces']>): Shown {
  const x = new Float64Array(named.length * pointCount);
  const y = new Float64Array(named.length * pointCount);
  const places: number[] = [];
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
    apart.push((Math.sqrt(squares / pointCount) / crop.side) * cropSideInEyes);
  }
  const atMs = Float64Array.from(places, (place) => track.atMs[place] ?? 0);
  return { track: { ...track, count: places.length, atMs, x, y }, places, apart };
}

/** Whether most pictures of a movement that was claimed do not show it: a turn, a nod, or shut eyes. */
function isOtherMovement(claimed: Motion, shown: Motion, places: readonly number[]): boolean {
  const isTurnedOtherwise = angles.some(([name, least]) => {
    const rest = median(claimed[name]);
    const differences = places.map((place, index) => (shown[name][index] ?? 0) - (claimed[name][place] ?? 0));
    // What all pictures differ by alike is how a small picture is read.
    const usual = median(differences);
    return isMostly(
      places.flatMap((place, index) => {
        const away = Math.abs((claimed[name][place] ?? 0) - rest);
        return away < least ? [] : [Math.abs((differences[index] ?? 0) - usual) > away / 2];
      }),
    );
  });
  const { openQuantile, openShare, shutShare } = blinkEdges;
  const isOpenOtherwise = eyes.every((name) => {
    const open = quantile(claimed[name], openQuantile);
    const shares = places.map((place) => (claimed[name][place] ?? 0) / Math.max(open, 0.02));
    const shownOpen = median(shown[name].filter((_, index) => (shares[index] ?? 0) >= openShare));
    return isMostly(
      shares.flatMap((share, index) =>
        share < shutShare ? [(shown[name][index] ?? 0) > shownOpen * pictureEdges.shutShownMax] : [],
      ),
    );
  });
  return isTurnedOtherwise || isOpenOtherwise;
}

const angles = [
  ['yaw', gestureEdges.turnMin],
  ['pitch', gestureEdges.nodMin],
] as const;
const eyes = ['rightEye', 'leftEye'] as const;

const isMostly = (answers: readonly boolean[]): boolean => answers.filter((each) => each).length * 2 > answers.length;
