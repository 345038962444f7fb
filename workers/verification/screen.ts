/**
 * Signs of a display or a print before the camera, from the image statistics that the client measured. Each is weak and can be left out by
 * who forges; together they catch those who hold a telephone up.
 */
import type { EnvelopeFeatures } from '../../src/contract/envelope.js';
import { ramp } from './series.js';

/** From where on a feature speaks, from where it speaks fully, and how much it then says by itself. */
export const screenFeatures = {
  moire: { low: 0.35, high: 0.8, weight: 0.85 },
  screenEdges: { low: 0.4, high: 0.85, weight: 0.85 },
  flicker: { low: 0.4, high: 0.9, weight: 0.6 },
  glare: { low: 0.3, high: 0.8, weight: 0.45 },
  noiseRepeat: { low: 0.5, high: 0.95, weight: 0.6 },
} as const satisfies Partial<Record<keyof EnvelopeFeatures, unknown>>;

/** The anti-spoofing model’s output, turned round: how low it has to be. */
export const antispoofDoubt = { low: 0.5, high: 0.95, weight: 0.5 } as const;

/** Probability that a screen or a picture was shown, 0-1; null where nothing of it was measured. */
export function measureScreen(features: EnvelopeFeatures | null | undefined): number | null {
  if (features == null) return null;
  let clear = 1;
  let measured = false;
  for (const [name, { low, high, weight }] of Object.entries(screenFeatures)) {
    const value = features[name as keyof typeof screenFeatures];
    if (value == null) continue;
    measured = true;
    clear *= 1 - weight * ramp(value, low, high);
  }
  if (features.antispoof != null) {
    measured = true;
    clear *= 1 - antispoofDoubt.weight * ramp(1 - features.antispoof, antispoofDoubt.low, antispoofDoubt.high);
  }
  return measured ? 1 - clear : null;
}
