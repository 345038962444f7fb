/**
 * One face as 468 points, its eyes refined: the face mesh in a square that is turned upright, then the iris model on both eyes, which
 * sees lids far better than the mesh does. From the points comes the square of the next frame, so that a face is followed without detection.
 */
import { tensor, tidy, type GraphModel, type Tensor } from 'tfjs-bundle';
import { cutSquare, placeIn, type Picture, type Square } from './picture.js';
import { eyeContours, eyeCorners, meshPoints } from './mesh-points.js';

const meshSide = 192;
const eyeSide = 64;
const eyePoints = 76;
/** How much larger than the face, and than an eye, the squares are on which the models were taught. */
const faceMargin = 1.5;
const eyeMargin = 2.3;
/** Below this the mesh has lost its face. */
const presenceMin = 0.5;
/** From this difference of the eyes’ depths on, in pixels of the mesh’s square, the far eye is too narrow to refine. */
const depthMax = 30;

export interface Mesh {
  /** x, y in pixels of the picture for each point. */
  readonly points: Float32Array;
  readonly presence: number;
  /** The search area of the next frame. */
  readonly square: Square;
}

export interface MeshModels {
  readonly mesh: GraphModel;
  readonly iris: GraphModel;
}

/** The face in `around`, which is as large as the face itself; null where its presence is less than `least`. */
export function readMesh(
  { mesh, iris }: MeshModels,
  picture: Picture,
  around: Square,
  least: number = presenceMin,
): Mesh | null {
  const square = { ...around, side: around.side * faceMargin };
  const input = new Float32Array(meshSide * meshSide * 3);
  cutSquare(picture, square, { size: meshSide, scale: 1 / 255, offset: 0 }, input);
  const { raw, presence } = tidy(() => {
    const outputs = mesh.execute(tensor(input, [1, meshSide, meshSide, 3])) as Tensor[];
    return {
      raw: Float32Array.from(outputs.find(({ size }) => size === meshPoints * 3)?.dataSync() ?? []),
      presence: outputs.find(({ size }) => size === 1)?.dataSync()[0] ?? 0,
    };
  });
  if (presence < least || raw.length === 0) return null;
  const points = new Float32Array(meshPoints * 2);
  for (let index = 0; index < meshPoints; index += 1) {
    const [x, y] = placeIn(square, (raw[index * 3] ?? 0) / meshSide, (raw[index * 3 + 1] ?? 0) / meshSide);
    points[index * 2] = x;
    points[index * 2 + 1] = y;
  }
  const next = squareAround(points);
  refineEyes(iris, picture, points, next.angle, depthBetweenEyes(raw));
  return { points, presence, square: next };
}

/** Positive where the right eye is the farther one. */
const depthBetweenEyes = (raw: Float32Array): number =>
  (raw[eyeCorners.right[0] * 3 + 2] ?? 0) - (raw[eyeCorners.left[0] * 3 + 2] ?? 0);

/** The upright square that holds all points. */
function squareAround(points: Float32Array): Square {
  const [rightOuter, leftOuter] = [eyeCorners.right[0], eyeCorners.left[0]];
  const angle = Math.atan2(
    (points[leftOuter * 2 + 1] ?? 0) - (points[rightOuter * 2 + 1] ?? 0),
    (points[leftOuter * 2] ?? 0) - (points[rightOuter * 2] ?? 0),
  );
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let index = 0; index < points.length; index += 2) {
    const [x, y] = [points[index] ?? 0, points[index + 1] ?? 0];
    const across = x * cos + y * sin;
    const down = y * cos - x * sin;
    [left, right] = [Math.min(left, across), Math.max(right, across)];
    [top, bottom] = [Math.min(top, down), Math.max(bottom, down)];
  }
  const [across, down] = [(left + right) / 2, (top + bottom) / 2];
  return {
    x: across * cos - down * sin,
    y: across * sin + down * cos,
    side: Math.max(right - left, bottom - top),
    angle,
  };
}

/** Both eyes in one run; the left one is shown mirrored, as the model was taught on one side only. */
function refineEyes(iris: GraphModel, picture: Picture, points: Float32Array, angle: number, depth: number): void {
  const eyes = [
    { side: 'left', flipped: true },
    { side: 'right', flipped: false },
  ] as const;
  const each = eyeSide * eyeSide * 3;
  const input = new Float32Array(each * 2);
  const squares = eyes.map(({ side, flipped }, index) => {
    const square = eyeSquare(points, eyeCorners[side], angle);
    cutSquare(picture, square, { size: eyeSide, scale: 1 / 255, offset: 0, flipped }, input, index * each);
    return square;
  });
  const found = tidy(() => {
    const output = iris.execute(tensor(input, [2, eyeSide, eyeSide, 3]));
    return (Array.isArray(output) ? output[0] : output)?.dataSync() ?? new Float32Array();
  });
  for (const [index, { side, flipped }] of eyes.entries()) {
    const square = squares[index];
    const tooFar = side === 'right' ? depth > depthMax : depth < -depthMax;
    if (square === undefined || tooFar) continue;
    for (const [target, source] of eyeContours[side]) {
      const from = (index * eyePoints + source) * 3;
      const across = (found[from] ?? 0) / eyeSide;
      const [x, y] = placeIn(square, flipped ? 1 - across : across, (found[from + 1] ?? 0) / eyeSide);
      points[target * 2] = x;
      points[target * 2 + 1] = y;
    }
  }
}

function eyeSquare(points: Float32Array, [outer, inner]: readonly [number, number], angle: number): Square {
  const [ax, ay] = [points[outer * 2] ?? 0, points[outer * 2 + 1] ?? 0];
  const [bx, by] = [points[inner * 2] ?? 0, points[inner * 2 + 1] ?? 0];
  return { x: (ax + bx) / 2, y: (ay + by) / 2, side: Math.hypot(bx - ax, by - ay) * eyeMargin, angle };
}
