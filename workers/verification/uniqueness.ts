/**
 * Uniqueness and duplication, by respondent, device and face. The gallery’s likeness, by its model’s own measure, becomes one from 0 to 1 that means the same for every
 * model.
 */
import type { BiometricComparison, FaceMatch, Participation, UniquenessFacts } from '../../src/contract/uniqueness.js';
import type { Duplication, DuplicateMatch, PriorParticipation } from '../../src/contract/verdict.js';
import { toUnit } from './series.js';
import { verdictTables } from './tables.js';

export interface Uniqueness {
  /** null where the face was compared with nobody within the window. */
  readonly score: number | null;
  readonly match: DuplicateMatch | null;
  /** The property that makes the session a duplicate, whatever its face is. */
  readonly repeats: 'respondent' | 'device' | null;
  readonly prior: PriorParticipation | null;
  readonly duplication: Duplication;
}

/** Whether somebody took part on this very device, and neither a face nor a respondentId distinguishes the two or makes them one. */
export function isSharedDevice({ biometric, device, identity }: UniquenessFacts, isCaptured: boolean): boolean {
  const isSame = identity !== null && (identity.match ?? identity.returning) !== null;
  return device?.method === 'exact' && !isSame && (!isCaptured || biometric === null || device.isFaceless);
}

/** Whether somebody took part with this face under another name, and the project holds that against no respondent whom more than a page named. */
export function isNotedFace({ biometric, isFaceNoted }: UniquenessFacts, isCaptured: boolean): boolean {
  const match = isCaptured ? (biometric?.match ?? null) : null;
  return isFaceNoted && biometric !== null && match !== null && match.similarity >= biometric.threshold;
}

export function judgeUniqueness(facts: UniquenessFacts, isCaptured: boolean): Uniqueness {
  const { biometric, device, identity } = facts;
  // A face that no frame shows was not captured, and one without anybody to compare with was not compared.
  const compared = isCaptured && biometric !== null && biometric.gallerySize > 0 ? biometric : null;
  const likeness = compared === null ? null : likenessOf(compared, compared.match);
  const alike = compared?.returning ?? null;
  const returning = compared !== null && alike !== null && alike.similarity >= compared.threshold ? alike : null;
  const returned = compared === null ? 0 : likenessOf(compared, returning);
  const isNoted = isNotedFace(facts, isCaptured);
  const match = isNoted ? null : (compared?.match ?? null);
  const byDevice = device?.isDecisive === true && isSharedDevice(facts, isCaptured) ? device.matched : null;
  const repeated = identity?.match ?? byDevice;
  const repeats = identity?.match == null ? byDevice && 'device' : 'respondent';
  return {
    score: likeness === null || compared?.isWindowEmpty || isNoted ? null : 1 - likeness,
    repeats,
    match: repeated === null ? toMatch(match, likeness ?? 0) : toMatch(repeated, 1),
    prior: priorOf(identity?.returning ?? null, 1) ?? priorOf(returning, returned),
    duplication: duplicationOf(compared, likeness === null ? null : Math.max(likeness, returned), device),
  };
}

function priorOf(participation: Participation | null, similarity: number): PriorParticipation | null {
  const match = toMatch(participation, similarity);
  if (participation === null || match === null) return null;
  return { ...match, lastSeenAt: Math.floor(participation.completedAtMs / 1_000) };
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

function toMatch(participation: Participation | null, similarity: number): DuplicateMatch | null {
  if (participation === null) return null;
  const { fingerprintId, sessionId, respondentId } = participation;
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
  const matchedSessionId = (isFace ? face.sessionId : null) ?? found?.matched?.sessionId ?? null;
  return {
    overall: deviceMatch === null && biometricMatch === null ? null : Math.max(deviceMatch ?? 0, biometricMatch ?? 0),
    deviceMatch,
    biometricMatch,
    ...(found?.matchedDeviceId == null ? {} : { matchedDeviceId: found.matchedDeviceId }),
    ...(matchedSessionId === null ? {} : { matchedSessionId }),
    matchMethod: isFace ? 'biometric' : (found?.method ?? 'none'),
  };
}
