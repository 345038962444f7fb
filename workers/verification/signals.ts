/**
 * Fraud signals of a capture and of its session: what each is called, how grave it is, and what it does. Signals of the device come from the
 * scoring rules, under the names that docs/findings.md gives them.
 */
import type { FraudSignal } from '../../src/contract/verdict.js';

export interface SignalRule {
  readonly severity: FraudSignal['severity'];
  readonly category: FraudSignal['category'];
  readonly description: string;
  /** Liveness is no higher than this once the signal is sure; null where it leaves liveness alone. */
  readonly livenessCeiling: number | null;
  /** Share of authenticity that a sure signal takes away. */
  readonly authenticityLoss: number;
}

export const signalRules = {
  session_mismatch: {
    severity: 'high',
    category: 'obvious',
    description: 'The envelope was made for another session.',
    livenessCeiling: 0.05,
    authenticityLoss: 0.9,
  },
  capture_replayed: {
    severity: 'high',
    category: 'obvious',
    description: 'The capture was sent in another session before.',
    livenessCeiling: 0.05,
    authenticityLoss: 0.9,
  },
  embedding_replayed: {
    severity: 'high',
    category: 'sophisticated',
    description: 'The face was sent, number for number, in another session before.',
    livenessCeiling: 0.2,
    authenticityLoss: 0.5,
  },
  capture_time_impossible: {
    severity: 'high',
    category: 'obvious',
    description: 'The capture claims more time than passed since its challenges were issued.',
    livenessCeiling: 0.1,
    authenticityLoss: 0.3,
  },
  virtual_camera: {
    severity: 'high',
    category: 'obvious',
    description: 'The camera is a program.',
    livenessCeiling: null,
    authenticityLoss: 0.9,
  },
  screen_detected: {
    severity: 'high',
    category: 'sophisticated',
    description: 'A screen or a picture was held before the camera.',
    livenessCeiling: null,
    authenticityLoss: 0.7,
  },
  deepfake_suspected: {
    severity: 'medium',
    category: 'sophisticated',
    description: 'The face shows traces of being computed.',
    livenessCeiling: null,
    authenticityLoss: 0.4,
  },
  frozen_frames: {
    severity: 'high',
    category: 'obvious',
    description: 'The picture stood still.',
    livenessCeiling: 0.1,
    authenticityLoss: 0.7,
  },
  looped_frames: {
    severity: 'high',
    category: 'sophisticated',
    description: 'A clip ran in a circle.',
    livenessCeiling: 0.15,
    authenticityLoss: 0.7,
  },
  flat_face: {
    severity: 'high',
    category: 'sophisticated',
    description: 'The face has no depth: a picture was moved before the camera.',
    livenessCeiling: 0.2,
    authenticityLoss: 0.6,
  },
  noise_absent: {
    severity: 'medium',
    category: 'sophisticated',
    description: 'The face moves without the noise that every camera has.',
    livenessCeiling: 0.3,
    authenticityLoss: 0.5,
  },
  noise_artificial: {
    severity: 'low',
    category: 'sophisticated',
    description: 'The noise of the face is not that of a camera.',
    livenessCeiling: null,
    authenticityLoss: 0.15,
  },
  frame_times_impossible: {
    severity: 'medium',
    category: 'obvious',
    description: 'The times of the frames go back.',
    livenessCeiling: 0.3,
    authenticityLoss: 0.4,
  },
  frame_times_even: {
    severity: 'low',
    category: 'sophisticated',
    description: 'The times of the frames are more even than a camera’s.',
    livenessCeiling: null,
    authenticityLoss: 0.1,
  },
  challenge_out_of_order: {
    severity: 'medium',
    category: 'sophisticated',
    description: 'Challenges were answered in another order than they were issued.',
    livenessCeiling: 0.3,
    authenticityLoss: 0.2,
  },
  challenge_contradictory: {
    severity: 'medium',
    category: 'sophisticated',
    description: 'The times of the challenges and those of their frames contradict each other.',
    livenessCeiling: 0.3,
    authenticityLoss: 0.2,
  },
  challenge_premature: {
    severity: 'medium',
    category: 'sophisticated',
    description: 'A challenge was answered before a person could have read it.',
    livenessCeiling: 0.4,
    authenticityLoss: 0.2,
  },
  face_withheld: {
    severity: 'medium',
    category: 'sophisticated',
    description: 'The camera saw a face, and nothing was sent to compare it by.',
    livenessCeiling: null,
    authenticityLoss: 0,
  },
  several_faces: {
    severity: 'low',
    category: 'obvious',
    description: 'More than one face was before the camera.',
    livenessCeiling: null,
    authenticityLoss: 0.05,
  },
  device_seen: {
    severity: 'medium',
    category: 'obvious',
    description: 'A participant has already passed on this device, and no face distinguishes the two.',
    livenessCeiling: null,
    authenticityLoss: 0,
  },
  device_suspicious: {
    severity: 'medium',
    category: 'sophisticated',
    description: 'Device and behaviour together look like a program rather than a person.',
    livenessCeiling: null,
    authenticityLoss: 0,
  },
} as const satisfies Readonly<Record<string, SignalRule>>;

export type SignalType = keyof typeof signalRules;

export interface RaisedSignal {
  readonly type: SignalType;
  readonly confidence: number;
}

/** What is less sure than this is not raised. */
export const raisedMin = 0.05;

/** The signals of a table of confidences that are sure enough, in the order of the rules. */
export function raiseSignals(confidences: Partial<Record<SignalType, number | null>>): readonly RaisedSignal[] {
  return (Object.keys(signalRules) as SignalType[]).flatMap((type) => {
    const confidence = confidences[type] ?? 0;
    return confidence >= raisedMin ? [{ type, confidence: Math.min(confidence, 1) }] : [];
  });
}

export function describeRaised({ type, confidence }: RaisedSignal): FraudSignal {
  const { severity, category, description } = signalRules[type];
  return { type, severity, category, description, confidence };
}
