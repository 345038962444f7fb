/** The few frames in which the face is best seen: straight, sharp and large. Only a square around the face is kept of each. */
import type { Mesh } from './mesh.js';
import type { Picture, Square } from './picture.js';

/** Pieces that are kept while the capture lasts, and those that are taken of them. */
const keptMax = 24;
const bestMax = 3;
/** Frames between two that are kept, so that one moment does not fill all places. */
const apart = 6;
const margin = 1.6;
/** Places in the mesh: outer corners of the eyes, tip of the nose, chin, lips in the middle, corners of the mouth. */
const [rightOuter, leftOuter, noseTip, chin, upperLip, lowerLip, rightMouth, leftMouth] = [
  33, 263, 1, 152, 13, 14, 61, 291,
];
/** Upper and lower lid of each eye. */
const lids = [
  [159, 145],
  [386, 374],
] as const;

export interface Portrait {
  readonly picture: Picture;
  readonly square: Square;
  readonly worth: number;
  readonly frame: number;
  readonly look: Look;
}

export interface Portraits {
  offer(picture: Picture, mesh: Mesh, sharpness: number): void;
  best(): readonly Portrait[];
}

/** How a face is held in a frame: turned, nodding, eyes shut, mouth open or smiling; in distances between the outer corners of the eyes. */
export type Look = readonly number[];

export function createPortraits(): Portraits {
  let kept: Portrait[] = [];
  const looks: Look[] = [];
  return {
    offer(picture, mesh, sharpness) {
      const look = readLook(mesh);
      const frame = looks.push(look);
      const worth = rate(look, sharpness, mesh.square.side);
      const near = kept.find((each) => frame - each.frame < apart);
      const rival = near ?? (kept.length < keptMax ? undefined : kept.reduce((a, b) => (a.worth < b.worth ? a : b)));
      if (rival !== undefined && rival.worth >= worth) return;
      const portrait = { ...cutOut(picture, mesh.square), worth, frame, look };
      kept = [...kept.filter((each) => each !== rival), portrait];
    },
    best: () => pickUsual(kept, looks),
  };
}

/** Those in which the face is most as it usually is among `looks`. */
export function pickUsual<T extends { readonly look: Look }>(
  portraits: readonly T[],
  looks: readonly Look[] = portraits.map(({ look }) => look),
): readonly T[] {
  const usual = looks[0]?.map((_, name) => usualOf(looks.map((look) => look[name] ?? 0))) ?? [];
  const strangeness = ({ look }: T): number =>
    look.reduce((sum, value, name) => {
      const { middle = 0, spread = 1 } = usual[name] ?? {};
      return sum + ((value - middle) / spread) ** 2;
    }, 0);
  return [...portraits].sort((a, b) => strangeness(a) - strangeness(b)).slice(0, bestMax);
}

/** A face is at rest most of the time, whatever it is asked to do: the median, and the middle half around it. */
function usualOf(values: readonly number[]): { readonly middle: number; readonly spread: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { middle: at(0.5), spread: Math.max(0.01, at(0.75) - at(0.25)) };
}

export function readLook({ points }: Mesh): Look {
  const at = (place: number): readonly [number, number] => [points[place * 2] ?? 0, points[place * 2 + 1] ?? 0];
  const between = (a: number, b: number): number => Math.hypot(at(a)[0] - at(b)[0], at(a)[1] - at(b)[1]);
  const [[rx, ry], [lx, ly], [nx, ny]] = [at(rightOuter), at(leftOuter), at(noseTip)];
  const width = Math.max(1, between(leftOuter, rightOuter));
  const across = ((nx - (rx + lx) / 2) * (lx - rx) + (ny - (ry + ly) / 2) * (ly - ry)) / width ** 2;
  const down = ((nx - (rx + lx) / 2) * (ry - ly) + (ny - (ry + ly) / 2) * (lx - rx)) / width ** 2;
  const eyes = lids.reduce((sum, [upper, lower]) => sum + between(upper, lower), 0) / width;
  const mouth = [between(upperLip, lowerLip) / width, between(rightMouth, leftMouth) / width];
  return [across, down, between(noseTip, chin) / width, eyes, ...mouth];
}

/** Straight ahead with a closed mouth is best; detail and size decide among those. */
function rate([across = 0, , , , open = 0]: Look, sharpness: number, side: number): number {
  return Math.exp(-20 * across * across - 4 * open) * (0.2 + sharpness) * Math.min(1, side / 150);
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
