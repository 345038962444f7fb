/**
 * Raises the signals of a session: what its envelope claims against what the server knows, and what its capture shows.
 */
import type { VerdictFacts } from '../../src/contract/verdict.js';
import type { Capture } from './capture.js';
import type { DeviceEvidence } from './device-evidence.js';
import { raiseSignals, type RaisedSignal } from './signals.js';
import { verdictTables } from './tables.js';

const { session, fraud } = verdictTables;

export function findSignals(
  facts: VerdictFacts,
  capture: Capture | null,
  device: DeviceEvidence,
): readonly RaisedSignal[] {
  const { envelope, uniqueness } = facts;
  const foreign = envelope.nonce !== facts.nonce || envelope.sessionId !== facts.sessionId;
  return raiseSignals({
    session_mismatch: Number(foreign),
    device_suspicious: (device.risk ?? 0) >= fraud.deviceBorderline ? device.risk : 0,
    device_seen: Number(uniqueness.device?.method === 'exact' && (capture === null || uniqueness.biometric === null)),
    ...(capture === null ? {} : findCaptureSignals(facts, capture)),
  });
}

function findCaptureSignals(facts: VerdictFacts, capture: Capture): Parameters<typeof raiseSignals>[0] {
  const { envelope, replay, thresholds } = facts;
  const { challenges, repetition, jitter, timing, parallax, screen } = capture;
  const replayed = replay !== null && replay.frameMarks > 0 ? replay.frameMarksSeen / replay.frameMarks : 0;
  return {
    capture_replayed: replayed >= session.replayShare ? 1 : replayed,
    embedding_replayed: Number(replay?.embeddingSeen === true),
    capture_time_impossible: Number(claimsTooMuchTime(facts)),
    virtual_camera: Number(capture.virtualCamera !== null),
    screen_detected: screen !== null && 1 - screen < thresholds.screenDetection ? screen : 0,
    deepfake_suspected: envelope.features?.deepfake ?? 0,
    frozen_frames: repetition.frozen,
    looped_frames: repetition.looped,
    flat_face: parallax.depth === null ? 0 : 1 - parallax.depth,
    noise_absent: Math.max(jitter.absent ?? 0, Number(envelope.features?.noise === 0)),
    noise_artificial: jitter.white,
    frame_times_impossible: Number(timing.backward),
    frame_times_even: Number(timing.even),
    challenge_out_of_order: Number(challenges.outOfOrder),
    challenge_contradictory: Number(challenges.contradictory),
    challenge_premature: Number(challenges.premature),
    face_withheld: Number(envelope.embedding == null),
    several_faces: Number(capture.severalFaces > session.severalFacesShare),
  };
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
