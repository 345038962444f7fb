/**
 * Facts of a verdict for tests: a person on a desktop without a camera, and the same person before one.
 */
import type { Envelope, EnvelopeDevice } from '../../src/contract/envelope.js';
import { securityLevels } from '../../src/contract/project-parts.js';
import type { BiometricComparison } from '../../src/contract/uniqueness.js';
import { overallThresholdDefault, type IssuedChallenge, type VerdictFacts } from '../../src/contract/verdict.js';
import { callsFor, captureHuman, challengesOf, embeddingOf, type Capture } from './captures.js';
import { humanBody, humanTransport, scoredAtMs } from './facts.js';

/** The probe’s groups of a person’s device. */
export function humanDevice(over: Partial<EnvelopeDevice> = {}): EnvelopeDevice {
  const { auto, lies, ua, hw, scr, loc, gfx, env, page } = humanBody();
  return { auto, lies, ua, hw, scr, loc, gfx, env, page, ...over } as EnvelopeDevice;
}

export function deviceEnvelope(over: Partial<Envelope> = {}): Envelope {
  const { beh } = humanBody();
  return {
    v: 1,
    sdk: '1.0.0',
    sessionId: 'sess_0',
    nonce: 'nonce-0',
    locale: 'de-DE',
    device: humanDevice(),
    ...(beh === undefined ? {} : { behavior: beh }),
    cameraFailureReason: 'NotFoundError',
    ...over,
  };
}

export function biometricEnvelope(capture: Capture = captureHuman(), over: Partial<Envelope> = {}): Envelope {
  return deviceEnvelope({
    consent: { biometric: true, at: '2026-05-04T12:00:00Z' },
    camera: { label: 'Integrated Webcam (0bda:5634)', facing: 'user', width: 1280, height: 720, frameRate: 30 },
    frames: capture.frames,
    challenges: capture.challenges,
    features: {
      moire: 0.1,
      sharpness: 0.6,
      brightness: 0.5,
      contrast: 0.2,
      noise: 0.01,
    },
    embedding: embeddingOf(1),
    demographics: { ageEstimate: 34, ageRange: { min: 29, max: 39 }, gender: 'female', genderConfidence: 0.97 },
    glassesDetected: false,
    cameraFailureReason: null,
    ...over,
  });
}

/** Nobody alike among a thousand. */
export function freshComparison(over: Partial<BiometricComparison> = {}): BiometricComparison {
  const nobody = { isWindowEmpty: false, match: null, returning: null };
  return { model: 'head/1', dimension: 128, gallerySize: 1_000, threshold: 0.6, ...nobody, ...over };
}

/** `challenges` are those that the page asked for, as it would have while it captured the envelope. */
export interface FactsOver extends Partial<VerdictFacts> {
  readonly challenges?: readonly IssuedChallenge[];
}

export function factsOf(
  envelope: Envelope,
  { challenges = challengesOf('blink', 'turn_left'), ...over }: FactsOver = {},
): VerdictFacts {
  const { frames, challenges: tracks = [] } = envelope;
  return {
    version: 1,
    envelope,
    issuedAtMs: scoredAtMs,
    receivedAtMs: scoredAtMs + 20_000,
    sessionId: 'sess_0',
    nonce: 'nonce-0',
    mode: 'live',
    minimumAssurance: 'device_only',
    challengeCount: challenges.length,
    challengeCalls: frames == null ? [] : callsFor(challenges, { frames, challenges: tracks }, scoredAtMs),
    widgetMode: 'standard',
    escalateOnSuspicion: false,
    verificationMode: 'block',
    thresholds: { ...securityLevels.balanced, overall: overallThresholdDefault },
    fences: {},
    pictures: null,
    riskAggregator: 'on',
    breakdown: true,
    uniqueness: {
      biometric: envelope.embedding == null ? null : freshComparison(),
      device: {
        method: 'none',
        similarity: 0,
        matchedDeviceId: null,
        matched: null,
        isFaceless: false,
        isDecisive: false,
      },
      identity: null,
      isFaceRefused: false,
      isFaceChanged: false,
      isFaceNoted: false,
      otherRespondentsWithFace: null,
      chain: null,
    },
    scoredDevice: null,
    replay: notReplayed,
    transport: humanTransport,
    address: null,
    ...over,
  };
}

export const notReplayed = {
  embeddingSeen: false,
  frameMarksSeen: 0,
  frameMarks: 8,
  motionMarksSeen: 0,
  motionMarks: 64,
};

/** The facts of a capture under the challenges that it was made for. */
export const capturedFacts = (capture: Capture, over: FactsOver = {}): VerdictFacts =>
  factsOf(biometricEnvelope(capture), over);
