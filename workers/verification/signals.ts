/** Fraud signals of a capture and its session. Signals of the device come from the scoring rules. */
import { isDeepStrictEqual } from 'node:util';
import { judgeCameraUse } from '../../src/contract/envelope.js';
import { biometricExample } from '../../src/contract/envelope-examples.js';
import { personBehavior } from '../../src/contract/person-example.js';
import type { UniquenessFacts } from '../../src/contract/uniqueness.js';
import type { FraudSignal, VerdictFacts } from '../../src/contract/verdict.js';
import { isSparse, type Capture } from './capture.js';
import { behaviorRules } from '../scoring/behavior-rules.js';
import { deviceRules } from '../scoring/device-rules.js';
import type { Rule } from '../scoring/model.js';
import { deviceThresholds, type DeviceEvidence } from './device-evidence.js';
import { findVirtualCamera } from './screen.js';
import { verdictTables } from './tables.js';
import { isOtherDevice } from './scored-device.js';
import { isNotedFace, isSharedDevice } from './uniqueness.js';

export interface SignalRule {
  readonly severity: FraudSignal['severity'];
  /** Severity from the confidence on that fails a session by itself. */
  readonly sureSeverity: FraudSignal['severity'];
  readonly category: FraudSignal['category'];
  readonly description: string;
  /** Liveness is no higher than this once the signal is sure; null where it leaves liveness alone. */
  readonly livenessCeiling: number | null;
  /** Share of authenticity that a sure signal takes away. */
  readonly authenticityLoss: number;
}

const rule =
  (category: SignalRule['category']) =>
  (
    severity: SignalRule['severity'],
    livenessCeiling: number | null,
    authenticityLoss: number,
    description: string,
    sureSeverity = severity,
  ) =>
    ({ severity, sureSeverity, category, description, livenessCeiling, authenticityLoss }) satisfies SignalRule;
const obvious = rule('obvious');
const sophisticated = rule('sophisticated');

export const signalRules = {
  session_mismatch: obvious('high', 0.05, 0.9, 'The envelope was made for another session.'),
  published_example: obvious('high', 0.05, 0.9, 'The envelope is the example of the documentation.'),
  capture_replayed: obvious('high', 0.05, 0.9, 'The capture was already sent in another session.'),
  embedding_replayed: sophisticated('high', 0.2, 0.5, 'The exact face data was already sent in another session.'),
  capture_time_impossible: obvious(
    'high',
    0.1,
    0.3,
    'The capture claims more time than passed since its challenges were issued.',
  ),
  commitment_broken: obvious('high', 0.05, 0.9, 'The frames do not match the commitments made during the challenges.'),
  virtual_camera: obvious('high', null, 0.9, 'The camera is virtual.'),
  screen_detected: sophisticated('high', null, 0.7, 'The camera shows a screen or picture.'),
  deepfake_suspected: sophisticated('medium', null, 0.4, 'The face shows signs of being generated.'),
  frozen_frames: obvious('high', 0.1, 0.7, 'The picture stood still.'),
  looped_frames: sophisticated('high', 0.15, 0.7, 'The video repeats in a loop.'),
  flat_face: sophisticated('high', 0.2, 0.6, 'The face has no depth, like a moved picture.'),
  noise_absent: sophisticated('medium', 0.3, 0.5, 'The face moves without camera noise.'),
  noise_artificial: sophisticated('low', null, 0.15, 'The noise of the face does not match a camera.'),
  frame_times_impossible: obvious('medium', 0.3, 0.4, 'The frame times go backwards.'),
  frame_times_even: sophisticated('low', null, 0.1, 'The frame times are too regular for a camera.'),
  challenge_out_of_order: sophisticated('medium', 0.3, 0.2, 'Challenges were answered in the wrong order.'),
  challenge_contradictory: sophisticated(
    'medium',
    0.3,
    0.2,
    'The times of the challenges and frames contradict each other.',
  ),
  challenge_premature: sophisticated('medium', 0.4, 0.2, 'A challenge was answered before a person could read it.'),
  face_withheld: sophisticated('medium', null, 0, 'The camera saw a face, but no comparable face data came.'),
  face_changed: sophisticated(
    'medium',
    null,
    0,
    'The face differs from an earlier attempt or from this respondent’s earlier face.',
  ),
  face_reused: sophisticated(
    'medium',
    null,
    0,
    'Other respondents of the organization passed with nearly the same face in the last 24 hours.',
    'high',
  ),
  other_device: obvious('medium', null, 0, 'The device differs from the one whose score asked for this verification.'),
  try_changed: obvious('low', null, 0, 'The device, camera or country differs from earlier attempts.'),
  tries_scattered: sophisticated('medium', null, 0, 'Attempts of one session come from several devices and countries.'),
  several_faces: obvious('low', null, 0.05, 'The camera saw more than one face.'),
  device_seen: obvious(
    'low',
    null,
    0,
    'A participant has already passed on this device. No face comparison distinguishes them.',
  ),
  face_seen: obvious(
    'low',
    null,
    0,
    'The face took part under another respondentId. The project excludes no named respondent for that.',
  ),
  respondent_seen: obvious(
    'low',
    null,
    0,
    'A participant with this respondentId has already passed. Only the page reported this id.',
  ),
  device_suspicious: sophisticated('medium', null, 0, 'Device, behavior and network together look automated.'),
};

export type SignalType = keyof typeof signalRules;

/** Every type that a verdict’s fraud signals may have. */
export const fraudSignalTypes: readonly string[] = [
  ...Object.keys(signalRules),
  ...Object.entries<Rule>({ ...deviceRules, ...behaviorRules })
    .filter(([, { severity, weight }]) => severity !== 'info' && weight >= deviceThresholds.signalMin)
    .map(([code]) => code),
];

export interface RaisedSignal {
  readonly type: SignalType;
  readonly confidence: number;
}

/** A less certain signal is not raised. */
export const raisedMin = 0.05;

/** The signals of a table of confidences that are sure enough, in the order of the rules. */
function raiseSignals(confidences: Partial<Record<SignalType, number | null>>): readonly RaisedSignal[] {
  return (Object.keys(signalRules) as SignalType[]).flatMap((type) => {
    const confidence = confidences[type] ?? 0;
    return confidence >= raisedMin ? [{ type, confidence: Math.min(confidence, 1) }] : [];
  });
}

export function describeRaised(signal: RaisedSignal): FraudSignal {
  const { type, confidence } = signal;
  const { category, description } = signalRules[type];
  return { type, severity: severityOf(signal), category, description, confidence };
}

export function severityOf({ type, confidence }: RaisedSignal): FraudSignal['severity'] {
  const { severity, sureSeverity } = signalRules[type];
  return confidence >= fraud.failConfidence ? sureSeverity : severity;
}

const { session, fraud, tries, faceReuse } = verdictTables;

export function findSignals(
  facts: VerdictFacts,
  capture: Capture | null,
  device: DeviceEvidence,
): readonly RaisedSignal[] {
  const { envelope, uniqueness } = facts;
  const foreign = envelope.nonce !== facts.nonce || envelope.sessionId !== facts.sessionId;
  return raiseSignals({
    session_mismatch: Number(foreign),
    published_example: Number(facts.mode === 'live' && isPublished(facts)),
    virtual_camera: Number(sawByProgram(facts)),
    device_suspicious: (device.suspicion ?? 0) >= fraud.deviceBorderline ? device.suspicion : 0,
    device_seen: Number(isSharedDevice(uniqueness, capture !== null)),
    face_seen: Number(isNotedFace(uniqueness, capture !== null)),
    respondent_seen: Number(uniqueness.identity?.isClaimed === true),
    other_device: Number(facts.scoredDevice !== null && isOtherDevice(facts.scoredDevice, envelope)),
    ...weighTries(uniqueness.chain),
    ...(capture === null ? {} : findCaptureSignals(facts, capture)),
  });
}

/**
 * Whoever goes on with their phone changes device and camera, and their network may be another country’s: that alone fails nobody. A third device
 * abroad is no person’s.
 */
function weighTries(chain: UniquenessFacts['chain']): Parameters<typeof raiseSignals>[0] {
  if (chain === null) return {};
  const { otherDevices, isOtherCountry, isOtherCamera } = chain;
  const { step, scattered } = tries;
  const changes = otherDevices + Number(isOtherCountry) + Number(isOtherCamera);
  return {
    try_changed: changes * step,
    tries_scattered: isOtherCountry ? (scattered[Math.min(otherDevices, scattered.length - 1)] ?? 0) : 0,
  };
}

/** Nobody’s hand, head or face is the documentation’s to the digit. */
const isPublished = ({ envelope: { behavior, frames, embedding }, first }: VerdictFacts): boolean =>
  isDeepStrictEqual(behavior, personBehavior) ||
  isDeepStrictEqual(first?.behavior, personBehavior) ||
  frames?.points === biometricExample.frames.points ||
  embedding?.values === biometricExample.embedding.values;

/** Also of frames in which nobody was. */
const sawByProgram = (facts: VerdictFacts): boolean =>
  facts.envelope.frames != null &&
  judgeCameraUse(facts.envelope, facts) === 'usable' &&
  findVirtualCamera(facts.envelope.camera?.label) !== null;

function findCaptureSignals(facts: VerdictFacts, capture: Capture): Parameters<typeof raiseSignals>[0] {
  const { envelope, replay, thresholds } = facts;
  const { challenges, repetition, jitter, timing, parallax, screen } = capture;
  const isUnneeded = capture.pictureDoubt === 'unneeded';
  // Statistics of movement and noise say nothing of a handful of frames.
  const dense = isSparse(capture) ? 0 : 1;
  return {
    capture_replayed: findReplay(replay),
    embedding_replayed: Number(replay?.embeddingSeen === true),
    capture_time_impossible: Number(capture.challenges.hasty || claimsTooMuchTime(facts)),
    commitment_broken: Number(capture.challenges.broken),
    screen_detected: screen !== null && 1 - screen < thresholds.screenDetection ? screen : 0,
    deepfake_suspected: dense * (envelope.features?.deepfake ?? 0),
    frozen_frames: repetition.frozen,
    looped_frames: repetition.looped,
    flat_face: parallax.depth === null ? 0 : dense * (1 - parallax.depth),
    noise_absent: Math.max(dense * (jitter.absent ?? 0), Number(envelope.features?.noise === 0)),
    noise_artificial: dense * (jitter.white ?? 0),
    frame_times_impossible: Number(timing.backward),
    frame_times_even: Number(timing.even),
    challenge_out_of_order: Number(challenges.outOfOrder),
    challenge_contradictory: Number(challenges.contradictory),
    challenge_premature: Number(challenges.premature),
    face_withheld: Number(!isUnneeded && (envelope.embedding == null || facts.uniqueness.isFaceRefused)),
    face_changed: Number(facts.uniqueness.isFaceChanged),
    face_reused: weighFaceReuse(facts.uniqueness.otherRespondentsWithFace),
    several_faces: Number(capture.severalFaces > session.severalFacesShare),
  };
}

/** Siblings and a second account of one person get a note; one picture for many respondents fails. */
function weighFaceReuse(others: number | null): number {
  return faceReuse.confidences[Math.min(others ?? 0, faceReuse.confidences.length - 1)] ?? 0;
}

function findReplay(replay: VerdictFacts['replay']): number {
  if (replay === null) return 0;
  const { frameMarksSeen, frameMarks, motionMarksSeen, motionMarks } = replay;
  const share = frameMarks > 0 ? frameMarksSeen / frameMarks : 0;
  const isNudged = motionMarksSeen >= Math.max(session.motionMarksMin, session.motionShare * motionMarks);
  return share >= session.replayShare || isNudged ? 1 : share;
}

/** The page’s clock starts when the challenges arrive, so that none of its times can lie beyond what passed on the server. */
function claimsTooMuchTime({ envelope, issuedAtMs, receivedAtMs }: VerdictFacts): boolean {
  const latest = Math.max(
    ...(envelope.frames?.atMs ?? []),
    ...(envelope.challenges ?? []).map(({ endedAtMs }) => endedAtMs),
    envelope.timings?.totalMs ?? 0,
  );
  return latest > Math.max(0, receivedAtMs - issuedAtMs) + session.clockSlackMs;
}
