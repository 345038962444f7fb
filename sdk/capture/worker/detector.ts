/**
 * Faces in a whole picture: BlazeFace, 896 anchors on a square of 256 pixels. Slower than following one face, so it runs when there is none to
 * follow, and now and then to count.
 */
import { tensor, tidy, type GraphModel, type Tensor } from 'tfjs-bundle';
import { cutSquare, placeIn, type Picture, type Square } from './picture.js';

const side = 256;
/** Strides of the two grids of anchors, and anchors at each of their places. */
const grids = [
  { stride: 16, each: 2 },
  { stride: 32, each: 6 },
] as const;
const valuesPerAnchor = 17;
const detectorEdges = { scoreMin: 0.35, overlapMax: 0.3, facesMax: 8 } as const;

export interface Found {
  readonly score: number;
  readonly square: Square;
}

const anchors = makeAnchors();

function makeAnchors(): Float32Array {
  const places: number[] = [];
  for (const { stride, each } of grids) {
    const cells = side / stride;
    for (let row = 0; row < cells; row += 1)
      for (let column = 0; column < cells; column += 1)
        for (let index = 0; index < each; index += 1) places.push((column + 0.5) * stride, (row + 0.5) * stride);
  }
  return Float32Array.from(places);
}

/** The surest first. */
export function findFaces(model: GraphModel, picture: Picture): readonly Found[] {
  const whole: Square = {
    x: picture.width / 2 - 0.5,
    y: picture.height / 2 - 0.5,
    side: Math.max(picture.width, picture.height),
    angle: 0,
  };
  const input = new Float32Array(side * side * 3);
  cutSquare(picture, whole, { size: side, scale: 1 / 127.5, offset: -1 }, input);
  const rows = tidy(() => readOutputs(model.execute(tensor(input, [1, side, side, 3])) as Tensor[]));
  const candidates: (Found & { readonly box: readonly number[] })[] = [];
  for (let index = 0; index < anchors.length / 2; index += 1) {
    const at = (value: number): number => rows[index * valuesPerAnchor + value] ?? 0;
    const score = 1 / (1 + Math.exp(-at(0)));
    if (score < detectorEdges.scoreMin) continue;
    const anchorX = anchors[index * 2] ?? 0;
    const anchorY = anchors[index * 2 + 1] ?? 0;
    const [centreX, centreY] = [at(1) + anchorX, at(2) + anchorY];
    const [x, y] = placeIn(whole, centreX / side, centreY / side);
    const size = (Math.max(at(3), at(4)) / side) * whole.side;
    const angle = Math.atan2(at(8) - at(6), at(7) - at(5));
    candidates.push({
      score,
      square: { x, y, side: size, angle },
      box: [centreX - at(3) / 2, centreY - at(4) / 2, centreX + at(3) / 2, centreY + at(4) / 2],
    });
  }
  candidates.sort((a, b) => b.score - a.score);
  const kept: typeof candidates = [];
  for (const each of candidates) {
    if (kept.length >= detectorEdges.facesMax) break;
    if (kept.every(({ box }) => overlap(box, each.box) < detectorEdges.overlapMax)) kept.push(each);
  }
  return kept.map(({ score, square }) => ({ score, square }));
}

/** Rows of score, box and points, those of the fine grid first: the model gives them as four tensors. */
function readOutputs(outputs: readonly Tensor[]): Float32Array {
  const [fewScores, manyScores, fewBoxes, manyBoxes] = [...outputs]
    .sort((a, b) => a.size - b.size)
    .map((each) => each.dataSync());
  const rows = new Float32Array((anchors.length / 2) * valuesPerAnchor);
  let row = 0;
  const pairs = [
    [manyScores, manyBoxes],
    [fewScores, fewBoxes],
  ] as const;
  for (const [scores, boxes] of pairs) {
    for (let index = 0; index < (scores?.length ?? 0); index += 1) {
      rows[row * valuesPerAnchor] = scores?.[index] ?? 0;
      for (let value = 0; value < valuesPerAnchor - 1; value += 1)
        rows[row * valuesPerAnchor + 1 + value] = boxes?.[index * (valuesPerAnchor - 1) + value] ?? 0;
      row += 1;
    }
  }
  return rows;
}

/** Intersection over union of two boxes given as left, top, right, bottom. */
function overlap(a: readonly number[], b: readonly number[]): number {
  const [al = 0, at = 0, ar = 0, ab = 0] = a;
  const [bl = 0, bt = 0, br = 0, bb = 0] = b;
  const both = Math.max(0, Math.min(ar, br) - Math.max(al, bl)) * Math.max(0, Math.min(ab, bb) - Math.max(at, bt));
  const union = (ar - al) * (ab - at) + (br - bl) * (bb - bt) - both;
  return union > 0 ? both / union : 0;
}
