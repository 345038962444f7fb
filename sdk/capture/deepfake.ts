/**
 * Signs that a face was computed into the picture: detail and noise that do not fit what is around it, eyes that never close, points that
 * stand too still. None of them is a proof, and a good generator shows none; a score near 0 says only that these signs were not seen.
 */
import type { VHDeepfake } from '../widget/api.js';
import type { Pose } from './pose.js';
import type { Summary } from './frame-analysis.js';

/** Fewer frames are inconclusive; shorter captures are inconclusive about blinking. */
const framesMin = 30;
const blinkMsMin = 8_000;
/** With fewer frames a second a blink falls between two of them. */
const blinkRateMin = 8;
const verdictEdges = { suspicious: 0.35, flagged: 0.65 } as const;

interface Sign {
  readonly flag: string;
  /** The weight of this sign alone, 0-1. */
  readonly weight: number;
}

export function reportDeepfake(summary: Summary, poses: readonly Pose[], durationMs: number): VHDeepfake {
  const hasSufficientData = poses.length >= framesMin;
  const signs = hasSufficientData ? findSigns(summary, poses, durationMs) : [];
  const score = 1 - signs.reduce((clear, { weight }) => clear * (1 - weight), 1);
  let verdict: VHDeepfake['verdict'] = 'ok';
  if (score >= verdictEdges.flagged) verdict = 'flagged';
  else if (score >= verdictEdges.suspicious) verdict = 'suspicious';
  return {
    score: Math.round(score * 1_000) / 1_000,
    verdict,
    flags: signs.map(({ flag }) => flag),
    frameCount: poses.length,
    hasSufficientData,
  };
}

function findSigns(summary: Summary, poses: readonly Pose[], durationMs: number): readonly Sign[] {
  const { faceNoiseRatio, faceDetailRatio, noiseRepeat } = summary;
  const signs: (Sign | null)[] = [
    faceNoiseRatio === null ? null : sign('face_noise_differs', 0.3, 0.35 - faceNoiseRatio, 0.25),
    faceDetailRatio === null ? null : sign('face_smoother_than_surroundings', 0.3, 0.3 - faceDetailRatio, 0.2),
    noiseRepeat === null ? null : sign('noise_repeats', 0.6, noiseRepeat - 0.5, 0.4),
    durationMs < blinkMsMin || poses.length < (blinkRateMin * durationMs) / 1_000
      ? null
      : sign('no_blink', 0.25, lowestOpening(poses) - 0.65, 0.1),
    sign('face_too_steady', 0.3, 0.0008 - tremble(poses), 0.0005),
  ];
  return signs.filter((each) => each !== null);
}

/** A sign from 0 on, in full from `full` on. */
function sign(flag: string, weight: number, excess: number, full: number): Sign | null {
  return excess > 0 ? { flag, weight: weight * Math.min(1, excess / full) } : null;
}

/** The farthest that both eyes closed, as a share of their usual opening. */
function lowestOpening(poses: readonly Pose[]): number {
  const usual = [...poses].map(({ rightEye, leftEye }) => rightEye + leftEye).sort((a, b) => a - b);
  const open = usual[Math.floor(usual.length * 0.7)] ?? 0;
  return open > 0 ? (usual[0] ?? 0) / open : 1;
}

/** How much the distance of the eyes changes from frame to frame, as a share of itself: noise of sensor and model keep it from standing still. */
function tremble(poses: readonly Pose[]): number {
  const steps = poses.slice(2).map(({ size }, index) => {
    const [a, b] = [poses[index]?.size ?? size, poses[index + 1]?.size ?? size];
    return Math.abs(a - 2 * b + size) / Math.max(size, 1);
  });
  return [...steps].sort((a, b) => a - b)[steps.length >> 1] ?? 0;
}
