/**
 * Selects the faces to report: the most alike among those who may not take part again, and the most alike among those who may. Pure.
 */
import type { BiometricComparison, FaceMatch } from '../../contract/uniqueness.js';
import type { Fingerprint } from './fingerprint-store.js';

export interface Likely {
  readonly fingerprint: Fingerprint;
  readonly similarity: number;
}

export interface FaceQuestion {
  readonly model: string;
  readonly dimension: number;
  readonly gallerySize: number;
  /** Least similarity of one person. */
  readonly same: number;
  /** Least similarity that is reported. */
  readonly near: number;
  readonly rootSessionId: string;
  /** From this time on a participation blocks, itself included. */
  readonly blockedSinceMs: number;
}

export function judgeFaces(question: FaceQuestion, found: readonly Likely[]): BiometricComparison {
  const { model, dimension, gallerySize, same, near, rootSessionId, blockedSinceMs } = question;
  const others = found.filter(({ fingerprint }) => fingerprint.rootSessionId !== rootSessionId);
  const isBlocking = ({ fingerprint }: Likely): boolean => fingerprint.completedAtMs >= blockedSinceMs;
  const match = mostAlike(others.filter((one) => isBlocking(one) && one.similarity >= near));
  const returning = mostAlike(others.filter((one) => !isBlocking(one) && one.similarity >= same));
  return { model, dimension, gallerySize, threshold: same, match, returning };
}

/** Of equals the latest. */
function mostAlike(list: readonly Likely[]): FaceMatch | null {
  const [first] = [...list].sort(
    (a, b) => b.similarity - a.similarity || b.fingerprint.completedAtMs - a.fingerprint.completedAtMs,
  );
  if (first === undefined) return null;
  const { fingerprintId, sessionId, respondentId, completedAtMs } = first.fingerprint;
  return { fingerprintId, similarity: Math.min(1, first.similarity), sessionId, respondentId, completedAtMs };
}
