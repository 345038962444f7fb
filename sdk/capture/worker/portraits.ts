/** The few frames in which the face is best seen: straight, sharp and large. Only a square around the face is kept of each. */
import type { Mesh } from './mesh.js';
import type { Picture, Square } from './picture.js';

const keptMax = 3;
/** Frames between two that are kept, so that one moment does not fill all places. */
const apart = 6;
const margin = 1.6;
/** Places in the mesh: outer corners of the eyes, and the tip of the nose. */
const [rightOuter, leftOuter, noseTip, upperLip, lowerLip] = [33, 263, 1, 13, 14];

export interface Portrait {
  readonly picture: Picture;
  readonly square: Square;
  readonly worth: number;
  readonly frame: number;
}

export interface Portraits {
  offer(picture: Picture, mesh: Mesh, sharpness: number): void;
  best(): readonly Portrait[];
}

export function createPortraits(): Portraits {
  let kept: Portrait[] = [];
  let frame = 0;
  return {
    offer(picture, mesh, sharpness) {
      frame += 1;
      const worth = rate(mesh, sharpness);
      const near = kept.find((each) => frame - each.frame < apart);
      const rival = near ?? (kept.length < keptMax ? undefined : kept.reduce((a, b) => (a.worth < b.worth ? a : b)));
      if (rival !== undefined && rival.worth >= worth) return;
      const portrait = { ...cutOut(picture, mesh.square), worth, frame };
      kept = [...kept.filter((each) => each !== rival), portrait];
    },
    best: () => kept,
  };
}

/** Straight ahead with a closed mouth is best; detail and size decide among those. */
function rate({ points, square }: Mesh, sharpness: number): number {
  const at = (place: number): readonly [number, number] => [points[place * 2] ?? 0, points[place * 2 + 1] ?? 0];
  const [[rx, ry], [lx, ly], [nx, ny]] = [at(rightOuter), at(leftOuter), at(noseTip)];
  const width = Math.hypot(lx - rx, ly - ry);
  if (width < 1) return 0;
  const across = ((nx - (rx + lx) / 2) * (lx - rx) + (ny - (ry + ly) / 2) * (ly - ry)) / width ** 2;
  const [[, upper], [, lower]] = [at(upperLip), at(lowerLip)];
  const open = Math.abs(lower - upper) / width;
  return Math.exp(-20 * across * across - 4 * open) * (0.2 + sharpness) * Math.min(1, square.side / 150);
}

/** A copy of the pixels around the face, and the square in it. */
function cutOut({ data, width, height }: Picture, square: Square): Pick<Portrait, 'picture' | 'square'> {
  const half = (square.side * margin) / 2 + 2;
  const left = Math.max(0, Math.floor(square.x - half));
  const top = Math.max(0, Math.floor(square.y - half));
  const right = Math.min(width, Math.ceil(square.x + half));
  const bottom = Math.min(height, Math.ceil(square.y + half));
  const [across, down] = [Math.max(0, right - left), Math.max(0, bottom - top)];
  const piece = new Uint8ClampedArray(across * down * 4);
  for (let row = 0; row < down; row += 1) {
    const from = ((top + row) * width + left) * 4;
    piece.set(data.subarray(from, from + across * 4), row * across * 4);
  }
  return {
    picture: { data: piece, width: across, height: down },
    square: { ...square, x: square.x - left, y: square.y - top },
  };
}
