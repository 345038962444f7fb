/**
 * Bands of brightness that run over the picture, as a display’s refresh leaves them on a sensor that reads row by row. Lamps on
 * mains do the same where a camera does not allow for them, so that this is weak evidence.
 */
import { deviation, mean, quantile, ramp, type Luminance } from './luminance.js';

const bands = 60;
/** Waves over the height of the picture that are looked for. */
const wavesMax = 12;
/** Change of brightness of the bands: from where on it is one, and a strong one. */
const strengthLow = 0.012;
const strengthHigh = 0.05;

export interface FlickerMeter {
  add(picture: Luminance): void;
  /** 0-1; null where there was too little. */
  read(): number | null;
}

export function createFlickerMeter(): FlickerMeter {
  let before: Float64Array | null = null;
  const found: number[] = [];
  return {
    add(picture) {
      const now = readBands(picture);
      if (before !== null) found.push(measureWave(now, before));
      before = now;
    },
    read: () => (found.length < 8 ? null : quantile(found, 0.5)),
  };
}

function readBands({ values, width, height }: Luminance): Float64Array {
  return Float64Array.from({ length: bands }, (_, band) => {
    const row = Math.floor(((band + 0.5) * height) / bands);
    let sum = 0;
    for (let column = 0; column < width; column += 2) sum += values[row * width + column] ?? 0;
    return Math.max(1, (2 * sum) / width);
  });
}

function measureWave(now: Float64Array, before: Float64Array): number {
  const change = now.map((value, band) => value / (before[band] ?? 1) - 1);
  const middle = mean(change);
  const total = deviation(change) ** 2;
  if (total === 0) return 0;
  let strongest = 0;
  for (let waves = 1; waves <= wavesMax; waves += 1) {
    let [cos, sin] = [0, 0];
    for (let band = 0; band < bands; band += 1) {
      const angle = (2 * Math.PI * waves * band) / bands;
      cos += ((change[band] ?? 0) - middle) * Math.cos(angle);
      sin += ((change[band] ?? 0) - middle) * Math.sin(angle);
    }
    strongest = Math.max(strongest, (2 * (cos * cos + sin * sin)) / bands ** 2);
  }
  return (strongest / total) * ramp(Math.sqrt(2 * strongest), strengthLow, strengthHigh);
}
