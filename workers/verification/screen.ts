/** Signs of a display or print before the camera, each weak, and names of virtual cameras: a clean label proves nothing, one of these a lot. */
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
  return measured ? 1 - clear : null;
}

/** Parts of labels, lower case. */
export const virtualCameraNames: readonly string[] = (
  'obs virtual, obs-camera, obs camera, manycam, snap camera, xsplit, v4l2loopback, v4l2 loopback, ' +
  'dummy video device, droidcam, epoccam, ivcam, iriun, camo studio, reincubate camo, mmhmm, youcam, webcammax, ' +
  'splitcam, sparkocam, altercam, chromacam, vcam, e2esoft, unity video capture, unitycam, ndi virtual, ndi video, ' +
  'newtek ndi, nvidia broadcast, vtube studio, vseeface, facerig, animaze, avatarify, deepfacelive, deeplivecam, ' +
  'akvirtualcamera, akvcam, pyvirtualcam, softcam, screen capture, fake_device, fake device, fake video, ' +
  'virtual camera, virtual webcam, virtual cam, virtualcamera'
).split(', ');

/** The name found in a label, or null. */
export function findVirtualCamera(label: string | null | undefined): string | null {
  if (label == null) return null;
  const plain = label.toLowerCase();
  return virtualCameraNames.find((name) => plain.includes(name)) ?? null;
}
