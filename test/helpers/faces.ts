/** Made-up people for tests: random directions, and captures that are as alike to them as a test wants. */
import type { Envelope, EnvelopeEmbedding } from '../../src/contract/envelope.js';
import { bytesOf, dot, fullScale } from '../../src/verification/uniqueness/embedding.js';
import type { FaceModel } from '../../src/verification/uniqueness/face-models.js';
import { shippedFaceModel } from '../../src/verification/uniqueness/shipped-face-model.js';

/** Two of its people are alike by chance only: 0 on average, 1 / sqrt(128) to either side. */
export const testModel: FaceModel = {
  model: 'test-face',
  dimension: 128,
  impostor: { mean: 0, deviation: 1 / Math.sqrt(128) },
  center: null,
};

export function randomDirection(random: () => number, dimension = testModel.dimension): Float32Array {
  const values = Float32Array.from({ length: dimension }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    return radius * Math.cos(2 * Math.PI * random());
  });
  return toUnit(values);
}

/** A direction whose cosine with `own` is `cosine`. */
export function directionNear(own: Float32Array, cosine: number, random: () => number): Float32Array {
  const noise = randomDirection(random, own.length);
  const along = dot(noise, own);
  const across = toUnit(noise.map((value, index) => value - along * (own[index] ?? 0)));
  return own.map((value, index) => cosine * value + Math.sqrt(1 - cosine * cosine) * (across[index] ?? 0));
}

export const embeddingOf = (direction: Float32Array, model = testModel.model): EnvelopeEmbedding => ({
  model,
  dimension: direction.length,
  values: Buffer.from(bytesOf(Int16Array.from(direction, (value) => Math.round(value * fullScale)))).toString('base64'),
});

/** A capture of a face, in the numbers of the SDK’s own model. */
export function shippedEmbeddingOf(face: Float32Array, random: () => number, likeness = 0.99): EnvelopeEmbedding {
  const { center, model } = shippedFaceModel;
  const values = directionNear(face, likeness, random).map((value, index) => 0.4 * value + (center?.[index] ?? 0));
  return embeddingOf(toUnit(values), model);
}

/** An envelope with a face, a device, both or neither. */
export const envelopeOf = (parts: Pick<Envelope, 'embedding' | 'device'>): Envelope => ({
  v: 1,
  sdk: 'test',
  sessionId: 'sess_any',
  nonce: 'nonce',
  consent: { biometric: true },
  ...parts,
});

function toUnit(values: Float32Array): Float32Array {
  const length = Math.sqrt(dot(values, values));
  return values.map((value) => value / length);
}
