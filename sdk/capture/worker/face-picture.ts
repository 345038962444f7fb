/** The grey square around a face that a project may ask for as evidence: small, and never of more than the face. */
import { cropFace } from '../../../src/contract/evidence-frames.js';
import type { Luminance } from './luminance.js';

/** Pixels along a side. */
const facePictureSide = 96;

/** Luminance 0-255, row by row: each pixel the mean of what it covers; black outside of the frame. `points` in the layout key23. */
export function takeFacePicture({ values, width, height }: Luminance, points: ArrayLike<number>): Uint8Array {
  const crop = cropFace(points);
  const step = crop.side / facePictureSide;
  const taps = Math.max(1, Math.ceil(step));
  const [left, top] = [crop.x - crop.side / 2, crop.y - crop.side / 2];
  const grey = new Uint8Array(facePictureSide * facePictureSide);
  for (let row = 0; row < facePictureSide; row += 1) {
    for (let column = 0; column < facePictureSide; column += 1) {
      let sum = 0;
      for (let tap = 0; tap < taps * taps; tap += 1) {
        const x = Math.floor(left + (column + ((tap % taps) + 0.5) / taps) * step);
        const y = Math.floor(top + (row + (Math.floor(tap / taps) + 0.5) / taps) * step);
        if (x >= 0 && y >= 0 && x < width && y < height) sum += values[y * width + x] ?? 0;
      }
      grey[row * facePictureSide + column] = Math.round(sum / (taps * taps));
    }
  }
  return grey;
}
