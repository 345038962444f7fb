/**
 * Noise between frames where nothing moves: two patches in the upper corners. A sensor’s noise never comes again; that of a
 * recorded clip comes with each of its rounds, and one picture has none.
 */
import { deviation, quantile, type Luminance } from './luminance.js';

const patchSide = 24;
/** Frames kept, and how far apart two must be: neighbouring differences share a frame. */
const keptMax = 120;
const apartMin = 2;
/** Levels of 255 below which there is no noise to compare. */
const levelsMin = 0.25;
/** Share of pictures equal to the one before, from where on it is one picture. */
const equalShare = 0.5;

export interface NoiseMeter {
  add(picture: Luminance, hash: string): void;
  /** Standard deviation over full scale, and greatest likeness of two frames’ noise; null where there was too little. */
  read(): { readonly noise: number | null; readonly repeat: number | null };
}

export function createNoiseMeter(): NoiseMeter {
  const kept: Float32Array[] = [];
  const levels: number[] = [];
  let before: Float32Array | null = null;
  let hashBefore = '';
  let pictures = 0;
  let equal = 0;
  return {
    add(picture, hash) {
      pictures += 1;
      equal += Number(hash === hashBefore);
      hashBefore = hash;
      const patch = readPatches(picture);
      if (before?.length === patch.length) {
        const difference = differ(patch, before);
        const level = deviation(difference);
        levels.push(level);
        if (level >= levelsMin && kept.length < keptMax) kept.push(difference.map((value) => value / level));
      }
      before = patch;
    },
    read() {
      const level = quantile(levels, 0.5);
      const noise = level === null ? null : level / Math.SQRT2 / 255;
      if (pictures > apartMin && equal / pictures > equalShare) return { noise, repeat: 1 };
      return { noise, repeat: kept.length < 8 ? null : greatestLikeness(kept) };
    },
  };
}

function readPatches({ values, width, height }: Luminance): Float32Array {
  const size = Math.min(patchSide, width >> 2, height >> 2);
  const inset = 4;
  const patch = new Float32Array(size * size * 2);
  for (const [index, left] of [inset, width - size - inset].entries())
    for (let row = 0; row < size; row += 1)
      for (let column = 0; column < size; column += 1)
        patch[(index * size + row) * size + column] = values[(inset + row) * width + left + column] ?? 0;
  return patch;
}

/** Changes that light alone does not explain: light shifts all pixels, or shifts them with their brightness. */
function differ(now: Float32Array, before: Float32Array): Float32Array {
  const count = now.length;
  let [meanX, meanY] = [0, 0];
  for (let index = 0; index < count; index += 1) {
    meanX += (before[index] ?? 0) / count;
    meanY += ((now[index] ?? 0) - (before[index] ?? 0)) / count;
  }
  let [both, squares] = [0, 0];
  for (let index = 0; index < count; index += 1) {
    const x = (before[index] ?? 0) - meanX;
    both += x * ((now[index] ?? 0) - (before[index] ?? 0) - meanY);
    squares += x * x;
  }
  const slope = squares > 0 ? both / squares : 0;
  return now.map((value, index) => {
    const x = before[index] ?? 0;
    return value - x - meanY - slope * (x - meanX);
  });
}

function greatestLikeness(kept: readonly Float32Array[]): number {
  let greatest = 0;
  for (const [index, a] of kept.entries()) {
    for (const b of kept.slice(index + apartMin)) {
      let sum = 0;
      for (let place = 0; place < a.length; place += 1) sum += (a[place] ?? 0) * (b[place] ?? 0);
      greatest = Math.max(greatest, sum / a.length);
    }
  }
  return Math.min(1, greatest);
}
