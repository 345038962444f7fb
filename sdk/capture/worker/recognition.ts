/**
 * A face as 128 numbers: the residual net of dlib in face-api’s weights. Pieces of 150 pixels a side, cut along the points of the mesh.
 */
import * as tf from 'tfjs-bundle';
import type { Tensor } from 'tfjs-bundle';
import { convolve, toInput, type Weights } from './layers.js';

export const recognitionSide = 150;
export const recognitionModel = 'face-api-recognition/1.7.15';

/** The vector as the net gives it, not yet of unit length. */
export async function embedFace(weights: Weights, piece: Float32Array): Promise<Float32Array> {
  const output = tf.tidy(() => {
    let out = layer(toInput(piece, recognitionSide), weights, 'conv32_down', 2, true);
    out = tf.maxPool(out, 3, 2, 'valid');
    for (const name of ['conv32_1', 'conv32_2', 'conv32_3']) out = residual(out, weights, name);
    out = residualDown(out, weights, 'conv64_down');
    for (const name of ['conv64_1', 'conv64_2', 'conv64_3']) out = residual(out, weights, name);
    out = residualDown(out, weights, 'conv128_down');
    for (const name of ['conv128_1', 'conv128_2']) out = residual(out, weights, name);
    out = residualDown(out, weights, 'conv256_down');
    for (const name of ['conv256_1', 'conv256_2']) out = residual(out, weights, name);
    out = residualDown(out, weights, 'conv256_down_out');
    return tf.matMul(tf.mean(out, [1, 2]), weights('fc'));
  });
  const vector = Float32Array.from(await output.data());
  output.dispose();
  return vector;
}

function layer(x: Tensor, weights: Weights, name: string, stride: number, isActive: boolean): Tensor {
  const out = convolve(x, weights, `${name}/conv`, stride, stride === 2 ? 'valid' : 'same');
  const scaled = tf.add(tf.mul(out, weights(`${name}/scale/weights`)), weights(`${name}/scale/biases`));
  return isActive ? tf.relu(scaled) : scaled;
}

function residual(x: Tensor, weights: Weights, name: string): Tensor {
  const out = layer(layer(x, weights, `${name}/conv1`, 1, true), weights, `${name}/conv2`, 1, false);
  return tf.relu(tf.add(out, x));
}

/** Halves the picture; what the shortcut lacks in channels, and the branch in rows and columns, is filled with zeros. */
function residualDown(x: Tensor, weights: Weights, name: string): Tensor {
  let out = layer(layer(x, weights, `${name}/conv1`, 2, true), weights, `${name}/conv2`, 1, false);
  let pooled = tf.avgPool(x, 2, 2, 'valid');
  const missing = tf.zeros(pooled.shape);
  const isNarrower = pooled.shape[3] !== out.shape[3];
  if (pooled.shape[1] !== out.shape[1] || pooled.shape[2] !== out.shape[2]) {
    const row = [...out.shape];
    row[1] = 1;
    out = tf.concat([out, tf.zeros(row)], 1);
    const column = [...out.shape];
    column[2] = 1;
    out = tf.concat([out, tf.zeros(column)], 2);
  }
  if (isNarrower) pooled = tf.concat([pooled, missing], 3);
  return tf.relu(tf.add(pooled, out));
}
