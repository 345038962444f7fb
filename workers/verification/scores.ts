/** The scores, 0 to 1. null was not measured and counts in no sum. More signals never raise a score, more evidence never lowers one. */
import type { VerdictFacts, VerdictScores } from '../../src/contract/verdict.js';
import type { Capture } from './capture.js';
import type { DeviceEvidence } from './device-evidence.js';
import { mean, ramp, toUnit } from './series.js';
import { severityOf, signalRules, type RaisedSignal } from './signals.js';
import { verdictTables } from './tables.js';

/** From what the camera saw. */
export function scoreLiveness(capture: Capture, signals: readonly RaisedSignal[]): number {
  const tables = verdictTables.liveness;
  const { share } = capture.challenges;
  const motion = scoreMotion(capture);
  let score: number;
  if (share === null) {
    const { motion: moved, endurance, ceiling } = tables.unchallenged;
    const lasted = toUnit(capture.timing.durationMs / tables.enduranceMs);
    score = Math.min(ceiling, moved * motion + endurance * lasted);
  } else {
    const { answers, motion: moved } = tables.challenged;
    score = answers * share ** tables.answersPower + moved * motion;
  }
  if (capture.usableFrames < tables.framesMin) score = Math.min(score, tables.tooShortCeiling);
  return toUnit(Math.min(score, ...signals.map(livenessCeiling)));
}

/** The ceiling that a signal sets, by how sure it is; 1 for none. */
export function livenessCeiling({ type, confidence }: RaisedSignal): number {
  const ceiling = signalRules[type].livenessCeiling;
  return ceiling === null ? 1 : 1 - confidence * (1 - ceiling);
}

function scoreMotion({ parallax, jitter, blinks }: Capture): number {
  const { motion, unknown } = verdictTables.liveness;
  const noise = jitter.absent === null ? unknown : 1 - Math.max(jitter.absent, (jitter.white ?? 0) / 2);
  const blink = Math.max(0, ...blinks.map(({ quality }) => quality));
  return motion.depth * (parallax.depth ?? unknown) + motion.noise * noise + motion.blink * blink;
}

/** Scores whether the camera, or without one the device, is what it claims to be. */
export function scoreAuthenticity(
  facts: VerdictFacts,
  capture: Capture | null,
  device: DeviceEvidence,
  signals: readonly RaisedSignal[],
): number {
  const tables = verdictTables.authenticity;
  const kept = signals.reduce(
    (share, { type, confidence }) => share * (1 - signalRules[type].authenticityLoss * confidence),
    1,
  );
  if (capture === null) return toUnit(deviceWorth(device) * (1 - (device.risk ?? 0)) * kept);
  const label = facts.envelope.camera?.label;
  const base = label != null && label !== '' ? tables.camera : tables.cameraUnnamed;
  return toUnit(base * kept * (1 - tables.deviceLoss * (device.risk ?? 0)));
}

function deviceWorth({ deviceMeasured, behaved, humanlike }: DeviceEvidence): number {
  const { device } = verdictTables.authenticity;
  if (!deviceMeasured) return device.unmeasured;
  if (!behaved) return device.measured;
  return humanlike ? device.hand : device.used;
}

/** The weights of the scores that are there, brought to a sum of 1. */
export function scoreOverall(scores: Pick<VerdictScores, 'liveness' | 'uniqueness' | 'authenticity'>): number {
  let sum = 0;
  let weights = 0;
  for (const [name, weight] of Object.entries(verdictTables.overall)) {
    const score = scores[name as keyof typeof verdictTables.overall];
    if (score === null) continue;
    sum += score * weight;
    weights += weight;
  }
  return toUnit(sum / weights);
}

/** How good the evidence is, whatever it says. */
export function scoreQuality({ envelope }: VerdictFacts, capture: Capture | null, device: DeviceEvidence): number {
  const { quality } = verdictTables;
  if (capture === null)
    return toUnit(quality.device.groups * device.completeness + quality.device.behavior * Number(device.behaved));
  const { sharpness, brightness, contrast } = envelope.features ?? {};
  const [tooDark, dark, bright, tooBright] = quality.brightness;
  const seen = [
    ramp(capture.usableFrames, ...quality.frames),
    ramp(capture.timing.rate, ...quality.rate),
    ramp(capture.facePixels, ...quality.facePixels),
    ...(sharpness == null ? [] : [ramp(sharpness, ...quality.sharpness)]),
    ...(contrast == null ? [] : [ramp(contrast, ...quality.contrast)]),
    ...(brightness == null ? [] : [ramp(brightness, tooDark, dark) * (1 - ramp(brightness, bright, tooBright))]),
  ];
  const missed = envelope.frames?.missed ?? 0;
  const faceless = 1 - capture.usableFrames / Math.max(1, capture.sentFrames + missed);
  // One bad part spoils the whole, however good the rest is.
  return toUnit(((mean(seen) + Math.min(...seen)) / 2) * (1 - capture.timing.missing) * (1 - faceless));
}

/** The capture’s and the session’s signals, and the device’s as one: each takes its share of what the others leave. */
export function scoreFraud(signals: readonly RaisedSignal[], deviceRisk: number | null): number {
  const { severity } = verdictTables.fraud;
  const clean = signals.reduce(
    (left, signal) => left * (1 - severity[severityOf(signal)] * signal.confidence),
    1 - (deviceRisk ?? 0),
  );
  return toUnit(1 - clean);
}
