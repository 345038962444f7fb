/** How one session compares with earlier ones, by face and by device. null: the comparison did not run. */

/** An earlier participant whose face is alike. */
export interface FaceMatch {
  readonly fingerprintId: string;
  /** Likeness by the model’s own measure, higher is more alike, at most 1; comparable with `threshold` only. */
  readonly similarity: number;
  /** null for fingerprints from before sessions were kept with them. */
  readonly sessionId: string | null;
  readonly respondentId: string | null;
  /** When the matched session reached its outcome, from which the window of re-eligibility runs. */
  readonly completedAtMs: number;
}

export interface BiometricComparison {
  /** Model and dimension that both sides share; embeddings of other models are never compared. */
  readonly model: string;
  readonly dimension: number;
  /** Templates that the face was compared with. With 0 nothing was compared, and uniqueness stays null. */
  readonly gallerySize: number;
  /** Whether the window of re-eligibility is over for all of them: the face was compared with nobody who blocks, so that uniqueness stays null. */
  readonly isWindowEmpty: boolean;
  /** Least similarity that means the same person, for this model and size of gallery; above 0 and below 1. */
  readonly threshold: number;
  /** The most alike among participants who may not take part again; null where none came near. */
  readonly match: FaceMatch | null;
  /** The most alike, at or above the threshold, among those whose window is over: a returning participant. */
  readonly returning: FaceMatch | null;
}

export interface DeviceComparison {
  /** exact: the same stored device token. fuzzy: components so alike that chance is unlikely. */
  readonly method: 'exact' | 'fuzzy' | 'none';
  /** 1 for exact, 0 for none. */
  readonly similarity: number;
  readonly matchedDeviceId: string | null;
  readonly matchedSessionId: string | null;
}

/** Compared with participants who passed in the project’s deduplication scope; this session’s own retries are left out. */
export interface UniquenessFacts {
  /** null where no face was compared: no usable embedding, uniqueness off for the mode, a preview session, the gallery out of reach. */
  readonly biometric: BiometricComparison | null;
  readonly device: DeviceComparison | null;
}
