/** Weights by name, as face-api packs them, and the layers that its two nets are built of. */
import * as tf from 'tfjs-bundle';
import type { Tensor, WeightSpec } from 'tfjs-bundle';

export type Weights = (name: string) => Tensor;

export interface PackedWeights {
  /** The manifest that comes with the bytes: which weights, in which order. */
  readonly manifest: readonly { readonly weights: readonly WeightSpec[] }[];
  readonly bytes: ArrayBuffer;
}

/** A name that is asked for and is not there throws. */
export function unpackWeights({ manifest, bytes }: PackedWeights): Weights {
  const named = tf.io.decodeWeights(
    bytes,
    manifest.flatMap(({ weights }) => weights),
  );
  return (name) => {
    const found = named[name];
    if (found === undefined) throw new Error(`the model has no weights ${name}`);
    return found;
  };
}

/** Mean colour of the pictures that both nets were taught on. */
const meanColour = [122.782, 117.001, 104.298] as const;

/** RGB 0-255 of a square piece, as both nets take it. */
export function toInput(piece: Float32Array, side: number): Tensor {
  const values = piece.map((value, index) => (value - (meanColour[index % 3] ?? 0)) / 255);
  return tf.tensor(values, [1, side, side, 3]);
}

/** A convolution with its bias. */
export const convolve = (x: Tensor, weights: Weights, name: string, stride: number, pad: 'same' | 'valid'): Tensor =>
  tf.add(tf.conv2d(x, weights(`${name}/filters`), stride, pad), weights(`${name}/bias`));
