/** From what was measured to the parts of the envelope, in the contract’s shapes and ranges. Unsure values are left out. */
import type { Demographics, EnvelopeEmbedding, EnvelopeFeatures } from '../../src/contract/envelope.js';
import type { VHDeepfake } from '../widget/api.js';
import type { Summary } from './frame-analysis.js';
import { toBase64 } from './recorder.js';

/** Age is right within this for two of three faces, years: twice the mean error that its model is published with. */
const ageSpread = 9;
/** Below this, gender is not said. */
const genderMin = 0.75;
const ageMax = 150;

const unit = (value: number | null): number | null => (value === null ? null : Math.min(1, Math.max(0, value)));

export function toFeatures(summary: Summary, deepfake: VHDeepfake | null): EnvelopeFeatures {
  return {
    deepfake: deepfake?.hasSufficientData === true ? deepfake.score : null,
    moire: unit(summary.moire),
    screenEdges: unit(summary.screenEdges),
    glare: unit(summary.glare),
    flicker: unit(summary.flicker),
    sharpness: unit(summary.sharpness),
    brightness: unit(summary.brightness),
    contrast: unit(summary.contrast),
    noise: unit(summary.noise),
    noiseRepeat: unit(summary.noiseRepeat),
  };
}

/** The vector at unit length in 16-bit integers; null for none. */
export function toEmbedding({
  embedding,
  embeddingModel,
}: Pick<Summary, 'embedding' | 'embeddingModel'>): EnvelopeEmbedding | null {
  if (embedding === null) return null;
  const norm = Math.hypot(...embedding);
  if (!(norm > 0) || !Number.isFinite(norm)) return null;
  const bytes = new DataView(new ArrayBuffer(embedding.length * 2));
  for (const [index, value] of embedding.entries())
    bytes.setInt16(index * 2, Math.round((value / norm) * 32_767), true);
  return {
    model: embeddingModel,
    dimension: embedding.length,
    values: toBase64(new Uint8Array(bytes.buffer)),
    norm,
  };
}

export function toDemographics({ age, male, skinLuminance }: Summary): Demographics | null {
  if (age === null || male === null || !(age >= 0 && age <= ageMax)) return null;
  const isMale = male > 0.5;
  const genderConfidence = isMale ? male : 1 - male;
  const named = isMale ? 'male' : 'female';
  return {
    ageEstimate: Math.round(age * 10) / 10,
    ageRange: { min: Math.max(0, Math.round(age - ageSpread)), max: Math.min(ageMax, Math.round(age + ageSpread)) },
    gender: genderConfidence >= genderMin ? named : 'unknown',
    genderConfidence: Math.round(genderConfidence * 1_000) / 1_000,
    ...(skinLuminance === null ? {} : { skinLuminance: Math.min(1, Math.max(0, skinLuminance)) }),
  };
}
