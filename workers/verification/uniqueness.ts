/**
 * Uniqueness and duplication. The gallery’s likeness, by its model’s own measure, becomes one from 0 to 1 that means the same for every
 * model.
 */
import type { BiometricComparison, FaceMatch, UniquenessFacts } from '../../src/contract/uniqueness.js';
import type { Duplication, DuplicateMatch, PriorParticipation } from '../../src/contract/verdict.js';
import { toUnit } from './series.js';
import { verdictTables } from './tables.js';

export interface Uniqueness {
  /** null where the face was compared with nobody within the window. */
  readonly score: number | null;
  readonly match: DuplicateMatch | null;
  readonly prior: PriorParticipation | null;
  readonly duplication: Duplication;
}

export function judgeUniqueness({ biometric, device }: UniquenessFacts, isCaptured: boolean): Uniqueness {
  // A face that no frame shows was not captured, and one without anybody to compare with was not compared.
  const compared = isCaptured && biometric !== null && biometric.gallerySize > 0 ? biometric : null;
  const likeness = compared === null ? null : likenessOf(compared, compared.match);
  const returning = compared?.returning ?? null;
  const prior =
    compared !== null && returning !== null && returning.similarity >= compared.threshold
      ? {
          ...toDuplicateMatch(returning, likenessOf(compared, returning)),
          lastSeenAt: Math.floor(returning.completedAtMs / 1_000),
        }
      : null;
  const match = compared?.match ?? null;
  return {
    score: likeness === null || compared?.isWindowEmpty ? null : 1 - likeness,
    match: match === null || likeness === null ? null : toDuplicateMatch(match, likeness),
    prior,
    duplication: duplicationOf(compared, prior === null ? likeness : Math.max(likeness ?? 0, prior.similarity), device),
  };
}

/** 0 for strangers, `atThreshold` where the same person begins, 1 for the same face; monotone in between. */
export function calibrate(similarity: number, threshold: number): number {
  const { atThreshold, steepness } = verdictTables.uniqueness;
  if (!(similarity > 0)) return 0;
  if (!(threshold > 0 && threshold < 1)) return toUnit(similarity);
  if (similarity <= threshold) return atThreshold * (similarity / threshold) ** steepness;
  return toUnit(atThreshold + ((1 - atThreshold) * (similarity - threshold)) / (1 - threshold));
}

function likenessOf({ threshold }: BiometricComparison, match: FaceMatch | null): number {
  return match === null ? 0 : calibrate(match.similarity, threshold);
}

function toDuplicateMatch({ fingerprintId, sessionId, respondentId }: FaceMatch, similarity: number): DuplicateMatch {
  return {
    fingerprintId,
    similarity,
    ...(sessionId === null ? {} : { sessionId }),
    ...(respondentId === null ? {} : { respondentId }),
  };
}

function duplicationOf(
  compared: BiometricComparison | null,
  biometricMatch: number | null,
  device: UniquenessFacts['device'],
): Duplication {
  const deviceMatch = device === null ? null : toUnit(device.similarity);
  const face = compared?.match ?? compared?.returning ?? null;
  const isFace = compared !== null && face !== null && face.similarity >= compared.threshold;
  const found = device !== null && device.method !== 'none' ? device : null;
  const matchedSessionId = (isFace ? face.sessionId : null) ?? found?.matchedSessionId ?? null;
  return {
    overall: deviceMatch === null && biometricMatch === null ? null : Math.max(deviceMatch ?? 0, biometricMatch ?? 0),
    deviceMatch,
    biometricMatch,
    ...(found?.matchedDeviceId == null ? {} : { matchedDeviceId: found.matchedDeviceId }),
    ...(matchedSessionId === null ? {} : { matchedSessionId }),
    matchMethod: isFace ? 'biometric' : (found?.method ?? 'none'),
  };
}
