/** Light, detail and gloss of the face, and how its detail compares with what is around it. */
import { deviation, mean, quantile, type FacePlace, type Luminance } from './luminance.js';
import type { Picture } from './picture.js';

/** Variance of the Laplacian at which detail counts half. */
const detailHalf = 60;
const glareLevel = 250;
const glareSpread = 12;
const blockSide = 8;

export interface Skin {
  /** 0-1. */
  readonly brightness: number;
  readonly contrast: number;
  readonly sharpness: number;
  readonly glare: number;
  /** Noise and detail of the face over those of what is around it; null where either is nothing. */
  readonly noiseRatio: number | null;
  readonly detailRatio: number | null;
}

export function measureSkin(picture: Picture, luminance: Luminance, face: FacePlace): Skin {
  const inner = blocksOf(luminance, (dx, dy) => Math.hypot(dx / 0.36, dy / 0.5) < 1, face);
  const outer = blocksOf(luminance, (dx, dy) => Math.hypot(dx, dy) > 0.85 && Math.hypot(dx, dy) < 1.8, face);
  const light = inner.map((block) => block.mean);
  const detail = mean(inner.map((block) => block.laplacian));
  const ratio = (share: number): number | null => {
    const [a, b] = [inner, outer].map((blocks) =>
      quantile(
        blocks.filter((block) => block.mean > 8 && block.mean < 247).map((block) => block.laplacian),
        share,
      ),
    );
    return a == null || b == null || b <= 0 ? null : Math.sqrt(a / b);
  };
  return {
    brightness: mean(light) / 255,
    contrast: deviation(light) / 255,
    sharpness: detail / (detail + detailHalf),
    glare: measureGlare(picture, face),
    noiseRatio: ratio(0.2),
    detailRatio: ratio(0.8),
  };
}

interface Block {
  readonly mean: number;
  /** Mean square of the Laplacian. */
  readonly laplacian: number;
}

/** Blocks whose middle `takes` says lies in the region, given from the face’s middle in widths of the face. */
function blocksOf(
  { values, width, height }: Luminance,
  takes: (dx: number, dy: number) => boolean,
  face: FacePlace,
): readonly Block[] {
  const blocks: Block[] = [];
  const half = face.width * 1.8;
  const clampTo = (value: number, max: number): number => Math.max(1, Math.min(max, Math.round(value)));
  const [left, right] = [clampTo(face.x - half, width), clampTo(face.x + half, width)];
  const [top, bottom] = [clampTo(face.y - half, height), clampTo(face.y + half, height)];
  for (let row = top; row + blockSide < bottom; row += blockSide) {
    for (let column = left; column + blockSide < right; column += blockSide) {
      const [dx, dy] = [(column + 4 - face.x) / face.width, (row + 4 - face.y) / face.width];
      if (takes(dx, dy)) blocks.push(readBlock(values, width, column, row));
    }
  }
  return blocks;
}

function readBlock(values: Float32Array, width: number, left: number, top: number): Block {
  let sum = 0;
  let squares = 0;
  for (let row = top; row < top + blockSide; row += 1) {
    for (let at = row * width + left; at < row * width + left + blockSide; at += 1) {
      const here = values[at] ?? 0;
      sum += here;
      squares +=
        (4 * here -
          (values[at - 1] ?? 0) -
          (values[at + 1] ?? 0) -
          (values[at - width] ?? 0) -
          (values[at + width] ?? 0)) **
        2;
    }
  }
  return { mean: sum / blockSide ** 2, laplacian: squares / blockSide ** 2 };
}

function measureGlare({ data, width, height }: Picture, face: FacePlace): number {
  let lit = 0;
  let count = 0;
  const half = face.width * 0.4;
  for (let row = Math.max(0, Math.round(face.y - half)); row < Math.min(height, face.y + half); row += 2) {
    for (let column = Math.max(0, Math.round(face.x - half)); column < Math.min(width, face.x + half); column += 2) {
      const at = (row * width + column) * 4;
      const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
      count += 1;
      if (Math.min(red, green, blue) > glareLevel - glareSpread && Math.max(red, green, blue) >= glareLevel) lit += 1;
    }
  }
  return count === 0 ? 0 : lit / count;
}

/** Lightness of the cheeks, 0-1. */
export function measureCheeks({ values, width, height }: Luminance, face: FacePlace): number {
  const seen: number[] = [];
  for (const side of [-0.24, 0.24])
    for (let dy = 0.02; dy < 0.14; dy += 0.02)
      for (let dx = -0.06; dx < 0.06; dx += 0.02) {
        const x = Math.round(face.x + (side + dx) * face.width);
        const y = Math.round(face.y + dy * face.width);
        if (x >= 0 && y >= 0 && x < width && y < height) seen.push(values[y * width + x] ?? 0);
      }
  return mean(seen) / 255;
}
