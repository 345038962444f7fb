/** The passive models: whether the face looks like a print or a screen. Weak evidence; the raw outputs are reported. */
import { tensor, tidy, type GraphModel } from 'tfjs-bundle';
import type { LaterModels } from './models.js';
import { cutSquare, type Picture, type Square } from './picture.js';

const antispoofSide = 128;
const livenessSide = 32;
/** How much larger than the face the piece is that both were taught on. */
const margin = 1.4;

export interface Passive {
  readonly antispoof: number;
  readonly liveness: number;
}

export function readPassive({ antispoof, liveness }: LaterModels, picture: Picture, square: Square): Passive {
  return {
    antispoof: readModel(antispoof, picture, square, antispoofSide),
    liveness: readModel(liveness, picture, square, livenessSide),
  };
}

function readModel(model: GraphModel, picture: Picture, square: Square, size: number): number {
  const piece = new Float32Array(size * size * 3);
  cutSquare(picture, { ...square, side: square.side * margin }, { size, scale: 1 / 255, offset: 0 }, piece);
  return tidy(() => {
    const output = model.execute(tensor(piece, [1, size, size, 3]));
    return (Array.isArray(output) ? output[0] : output)?.dataSync()[0] ?? 0;
  });
}
