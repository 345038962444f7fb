/** Age and gender of a face: face-api’s small net on a piece of 112 pixels a side. */
import * as tf from 'tfjs-bundle';
import type { Tensor } from 'tfjs-bundle';
import { convolve, toInput, type Weights } from './layers.js';

export const ageSide = 112;

export interface AgeGender {
  /** Years. */
  readonly age: number;
  /** Probability 0-1. */
  readonly male: number;
}

export async function readAgeGender(weights: Weights, piece: Float32Array): Promise<AgeGender> {
  const [age, gender] = tf.tidy(() => {
    let out = tf.relu(convolve(toInput(piece, ageSide), weights, 'entry_flow/conv_in', 2, 'same'));
    out = reduce(out, weights, 'entry_flow/reduction_block_0', false);
    out = reduce(out, weights, 'entry_flow/reduction_block_1', true);
    out = keep(out, weights, 'middle_flow/main_block_0');
    out = keep(out, weights, 'middle_flow/main_block_1');
    out = reduce(out, weights, 'exit_flow/reduction_block', true);
    out = tf.relu(separate(out, weights, 'exit_flow/separable_conv'));
    const pooled = tf.avgPool(out, 7, 2, 'valid');
    const flat = tf.reshape(pooled, [1, pooled.size]);
    const connect = (name: string): Tensor =>
      tf.add(tf.matMul(flat, weights(`${name}/weights`)), weights(`${name}/bias`));
    return [connect('fc/age'), tf.softmax(connect('fc/gender'))] as const;
  });
  const read = { age: (await age.data())[0] ?? 0, male: (await gender.data())[0] ?? 0.5 };
  tf.dispose([age, gender]);
  return read;
}

const separate = (x: Tensor, weights: Weights, name: string): Tensor =>
  tf.add(
    tf.separableConv2d(x, weights(`${name}/depthwise_filter`), weights(`${name}/pointwise_filter`), 1, 'same'),
    weights(`${name}/bias`),
  );

function reduce(x: Tensor, weights: Weights, name: string, isActive: boolean): Tensor {
  let out = separate(isActive ? tf.relu(x) : x, weights, `${name}/separable_conv0`);
  out = separate(tf.relu(out), weights, `${name}/separable_conv1`);
  out = tf.maxPool(out, 3, 2, 'same');
  return tf.add(out, convolve(x, weights, `${name}/expansion_conv`, 2, 'same'));
}

function keep(x: Tensor, weights: Weights, name: string): Tensor {
  let out = x;
  for (const each of [0, 1, 2]) out = separate(tf.relu(out), weights, `${name}/separable_conv${each}`);
  return tf.add(out, x);
}
