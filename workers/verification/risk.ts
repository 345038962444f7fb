/** The unified risk: always computed, because fences read it, and shown by the project’s riskAggregator. */
import { judgeCameraUse } from '../../src/contract/envelope.js';
import type {
  Duplication,
  RiskContribution,
  ShownRisk,
  VerdictFacts,
  VerdictRisk,
} from '../../src/contract/verdict.js';
import type { Capture } from './capture.js';
import type { DeviceEvidence } from './device-evidence.js';
import { livenessCeiling } from './scores.js';
import { signalRules, type RaisedSignal } from './signals.js';
import { verdictTables } from './tables.js';

export function assessRisk(
  facts: VerdictFacts,
  overall: number,
  capture: Capture | null,
  device: DeviceEvidence,
  signals: readonly RaisedSignal[],
): VerdictRisk {
  return {
    overall: 1 - overall,
    device: device.risk,
    biometric: capture === null ? null : 1 - overall,
    contributions: [...contributionsOf(capture, signals), ...device.contributions],
    droppedSignals: findDropped(facts, capture),
    degradedSignals: findDegraded(facts, capture, device),
  };
}

export function showRisk(
  { riskAggregator, breakdown }: VerdictFacts,
  risk: VerdictRisk,
  duplication: Duplication,
): ShownRisk {
  switch (riskAggregator) {
    case 'off':
      return {};
    case 'shadow':
      return { risk: null, duplication: null };
    case 'on':
      return {
        risk: breakdown ? risk : { ...risk, contributions: [] },
        riskOverall: risk.overall,
        duplication,
      };
  }
}

function contributionsOf(capture: Capture | null, signals: readonly RaisedSignal[]): readonly RiskContribution[] {
  const found: RiskContribution[] = [];
  for (const signal of signals) {
    const { type, confidence } = signal;
    const ceiling = capture === null ? 1 : livenessCeiling(signal);
    const loss = signalRules[type].authenticityLoss * confidence;
    if (ceiling < 1) found.push({ signal: type, axis: 'liveness', contribution: ceiling - 1 });
    if (loss > 0) found.push({ signal: type, axis: 'authenticity', contribution: -loss });
  }
  const share = capture?.challenges.share;
  if (share != null) {
    const { challenged, answersPower } = verdictTables.liveness;
    found.push({
      signal: 'challenge_answers',
      axis: 'liveness',
      contribution: challenged.answers * share ** answersPower,
    });
  }
  return found;
}

/** Received signals that were not used. */
function findDropped({ envelope, challengeCount, ...policy }: VerdictFacts, capture: Capture | null): string[] {
  const use = judgeCameraUse(envelope, policy);
  if (use === 'consent_missing' || use === 'camera_not_asked') return [use];
  const unasked = challengeCount === 0 && (envelope.challenges ?? []).length > 0;
  return [
    ...(capture === null && envelope.embedding != null ? ['face_without_capture'] : []),
    ...(unasked ? ['challenges_not_asked'] : []),
  ];
}

/** Signals that were not received. */
function findDegraded(
  { envelope, uniqueness, replay }: VerdictFacts,
  capture: Capture | null,
  device: DeviceEvidence,
): string[] {
  const { biometric } = uniqueness;
  const conditions: Readonly<Record<string, boolean>> = {
    device_missing: !device.deviceMeasured,
    behavior_missing: !device.behaved,
    camera_missing: capture === null,
    camera_label_missing: capture !== null && !envelope.camera?.label,
    features_missing: capture !== null && envelope.features == null,
    embedding_missing: capture !== null && envelope.embedding == null,
    comparison_missing: capture !== null && envelope.embedding != null && biometric === null,
    gallery_empty: capture !== null && biometric?.gallerySize === 0,
    replay_unchecked: capture !== null && replay === null,
  };
  return Object.keys(conditions).filter((name) => conditions[name] === true);
}
