/** How one session compares with earlier ones, by face, by device and by respondent. null: the comparison did not run. */

/** An earlier session that counts: it passed or is under review. */
export interface Participation {
  readonly fingerprintId: string;
  /** null for fingerprints from before sessions were kept with them. */
  readonly sessionId: string | null;
  readonly respondentId: string | null;
  /** When the session reached its outcome, from which the window of re-eligibility runs. */
  readonly completedAtMs: number;
}

/** An earlier participant whose face is alike. */
export interface FaceMatch extends Participation {
  /** Likeness by the model’s own measure, higher is more alike, at most 1; comparable with `threshold` only. */
  readonly similarity: number;
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
  /** The last one of the device within the window, one without a face first. */
  readonly matched: Participation | null;
  /** Whether that one left no face of the same model, so that no face distinguishes the two. */
  readonly isFaceless: boolean;
  /** Whether the project takes whoever comes on the same device for the same person. */
  readonly isDecisive: boolean;
}

/** The same respondentId: proven if a backend or a hosted link named it both times, if it came on the same device, or with the same face. */
export interface IdentityComparison {
  /** The last one proven, within the window. */
  readonly match: Participation | null;
  /** The last one proven, if its window is over. */
  readonly returning: Participation | null;
  /** Whether a participation within the window has the respondentId, and only a page says that it is the same person. */
  readonly isClaimed: boolean;
}

/** A session against the earlier tries of its chain. */
export interface ChainComparison {
  /** How many devices the earlier tries came from, besides this one. */
  readonly otherDevices: number;
  /** Whether no earlier try came from the country of this address, or from this camera. */
  readonly isOtherCountry: boolean;
  readonly isOtherCamera: boolean;
}

/** Compared with participants who passed in the project’s deduplication scope; this session’s own retries are left out. */
export interface UniquenessFacts {
  /** null where no face was compared: no usable embedding, uniqueness off for the mode, a preview session, the gallery out of reach. */
  readonly biometric: BiometricComparison | null;
  readonly device: DeviceComparison | null;
  readonly identity: IdentityComparison | null;
  /** Whether faces are compared, and the one that came could not be: of another model, or no vector that a model makes. */
  readonly isFaceRefused: boolean;
  /** Whether the face is another than in the chain’s earlier tries, or than the respondent’s own before. */
  readonly isFaceChanged: boolean;
  /** Whether a face that took part under another name is only noted: the project says so, and more than a page named this respondent. */
  readonly isFaceNoted: boolean;
  /** Other respondents of the organization who passed with nearly this face in the last 24 hours, at most 3; null where none were looked for. */
  readonly otherRespondentsWithFace: number | null;
  /** null for a session that is no retry. */
  readonly chain: ChainComparison | null;
}

export const nothingCompared: UniquenessFacts = {
  biometric: null,
  device: null,
  identity: null,
  isFaceRefused: false,
  isFaceChanged: false,
  isFaceNoted: false,
  otherRespondentsWithFace: null,
  chain: null,
};
