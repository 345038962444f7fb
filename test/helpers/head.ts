/**
 * A head for tests: a body of 23 points that turns, nods, blinks and smiles before a pinhole camera, with the noise of a sensor and of a
 * model that reads neighbouring points from one picture. The same seed gives the same capture. Flattened, it is a photograph of itself.
 */
import {
  pointBytes,
  topologyPoints,
  unitsPerPixel,
  type EnvelopeFrames,
  type Topology,
} from '../../src/contract/envelope.js';
import { layouts, point, pointCount } from '../../workers/verification/landmarks.js';

/** Centimetres: x to the respondent’s left, y up, z towards the viewer. Mirrored where only one side is given. */
const skull: readonly (readonly [number, number, number])[] = [
  [-4.45, 2.66, 3.2],
  [-3.67, 2.98, 3.7],
  [-2.72, 3.0, 3.9],
  [-1.86, 2.59, 3.76],
  [-2.72, 2.22, 3.8],
  [-3.67, 2.28, 3.6],
  [1.86, 2.59, 3.76],
  [2.72, 3.0, 3.9],
  [3.67, 2.98, 3.7],
  [4.45, 2.66, 3.2],
  [3.67, 2.28, 3.6],
  [2.72, 2.22, 3.8],
  [0, 3.27, 5.24],
  [0, -1.13, 7.48],
  [-1.35, -1.75, 5.5],
  [1.35, -1.75, 5.5],
  [-2.46, -4.34, 4.28],
  [2.46, -4.34, 4.28],
  [0, -3.6, 5.6],
  [0, -3.75, 5.6],
  [0, -9.4, 4.26],
  [-7.74, 2.36, -2],
  [7.74, 2.36, -2],
];

/** Points that a model reads together. */
const regions: readonly (readonly number[])[] = [
  [0, 1, 2, 3, 4, 5],
  [6, 7, 8, 9, 10, 11],
  [12, 13, 14, 15],
  [16, 17, 18, 19],
  [20, 21, 22],
];

/** A head at one moment. Angles in degrees, shares 0-1, places in centimetres. */
export interface Pose {
  readonly yaw: number;
  readonly pitch: number;
  readonly roll: number;
  readonly closed: number;
  readonly smile: number;
  readonly x: number;
  readonly y: number;
  readonly nearer: number;
}

export const atRest: Pose = { yaw: 0, pitch: 0, roll: 0, closed: 0, smile: 0, x: 0, y: 0, nearer: 0 };

export interface Camera {
  readonly width: number;
  readonly height: number;
  /** Standard deviation of the noise, pixels; 0 for a computed face. */
  readonly noise: number;
  /** Whether each point errs by itself, as who adds noise by hand does it. */
  readonly whiteNoise: boolean;
  /** All depth taken away, as in a photograph that is held up. */
  readonly flat: boolean;
}

export const webcam: Camera = { width: 640, height: 480, noise: 0.35, whiteNoise: false, flat: false };

const distanceCentimetres = 50;
const focalShare = 0.9;

/** Places of the 23 points in the picture, pixels. */
export function project(pose: Pose, camera: Camera, random: () => number): Float64Array {
  const places = new Float64Array(pointCount * 2);
  const focal = focalShare * camera.width;
  const errors = drawReadingErrors(camera, random);
  for (const [index, still] of skull.entries()) {
    const [x, y, z] = move(express(index, still, pose), pose, camera.flat);
    const depth = distanceCentimetres - pose.nearer - z;
    places[index * 2] = camera.width / 2 + (focal * (x + pose.x)) / depth + (errors[index * 2] ?? 0);
    places[index * 2 + 1] = camera.height / 2 - (focal * (y + pose.y)) / depth + (errors[index * 2 + 1] ?? 0);
  }
  return places;
}

/** By how much a model misreads each coordinate of the 23 points, pixels: points of one region err together, and each a little by itself. */
export function drawReadingErrors({ noise, whiteNoise }: Camera, random: () => number): Float64Array {
  const own = noise * 0.5;
  const shared = Array.from(regions, () => [gauss(random) * noise, gauss(random) * noise] as const);
  const errors = new Float64Array(pointCount * 2);
  for (let index = 0; index < pointCount; index += 1) {
    const region = shared[regions.findIndex((points) => points.includes(index))] ?? [0, 0];
    for (const axis of [0, 1] as const)
      errors[index * 2 + axis] = whiteNoise ? gauss(random) * noise : region[axis] + gauss(random) * own;
  }
  return errors;
}

function express(
  index: number,
  [x, y, z]: readonly [number, number, number],
  { closed, smile }: Pose,
): [number, number, number] {
  const isLid =
    index < 12 && ![point.rightOuter, point.rightInner, point.leftInner, point.leftOuter].includes(index as 0);
  if (isLid) return [x, y + (2.6 - y) * closed * 0.85, z];
  if (index === point.rightMouth || index === point.leftMouth) return [x * (1 + 0.24 * smile), y + 0.5 * smile, z];
  return [x, y, z];
}

/** Turns about the neck, which lies behind the face. */
function move(
  [x, y, z]: readonly [number, number, number],
  pose: Pose,
  flat: boolean,
): readonly [number, number, number] {
  const [yaw, pitch, roll] = [pose.yaw, pose.pitch, pose.roll].map((angle) => (angle * Math.PI) / 180) as [
    number,
    number,
    number,
  ];
  const behind = flat ? 0 : 6;
  const deep = flat ? 0 : z + behind;
  const turned = [x * Math.cos(yaw) + deep * Math.sin(yaw), y, deep * Math.cos(yaw) - x * Math.sin(yaw)] as const;
  const nodded = [
    turned[0],
    turned[1] * Math.cos(pitch) - turned[2] * Math.sin(pitch),
    turned[1] * Math.sin(pitch) + turned[2] * Math.cos(pitch),
  ] as const;
  return [
    nodded[0] * Math.cos(roll) - nodded[1] * Math.sin(roll),
    nodded[0] * Math.sin(roll) + nodded[1] * Math.cos(roll),
    nodded[2] - behind,
  ];
}

/** Packs frames of 23 points into an envelope’s layout; points that the layout has beside those lie on an oval around the face. */
export function packFrames(
  places: readonly Float64Array[],
  atMs: readonly number[],
  topology: Topology,
  camera: Pick<Camera, 'width' | 'height'>,
): EnvelopeFrames {
  const total = topologyPoints[topology];
  const bytes = Buffer.alloc(places.length * total * pointBytes);
  for (const [frame, points] of places.entries()) {
    const put = (index: number, x: number, y: number): void => {
      const at = (frame * total + index) * pointBytes;
      bytes.writeInt16LE(quantise(x), at);
      bytes.writeInt16LE(quantise(y), at + 2);
    };
    for (let index = 0; index < total && topology !== 'key23'; index += 1) {
      const angle = (index / total) * 2 * Math.PI;
      put(index, (points[26] ?? 0) + 90 * Math.cos(angle), (points[27] ?? 0) + 120 * Math.sin(angle));
    }
    for (const [index, place] of layouts[topology].entries())
      put(place, points[index * 2] ?? 0, points[index * 2 + 1] ?? 0);
  }
  return {
    topology,
    model: 'head/1',
    width: camera.width,
    height: camera.height,
    atMs: [...atMs],
    points: bytes.toString('base64'),
  };
}

function quantise(pixels: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(pixels * unitsPerPixel)));
}

/** Standard normal. */
export function gauss(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
