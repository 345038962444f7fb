/**
 * Respondents with a fixed outcome in sessions of test mode, to try each ending of a verification. The rules in force judge what is recorded
 * here in place of what the browser sent, so that results, tokens and webhooks look as ever. Nothing is compared, and no capture is kept.
 */
import type { Envelope } from '../../contract/envelope.js';
import {
  biometricExample,
  deviceOnlyExample,
  exampleCalls,
  exampleChallenges,
} from '../../contract/envelope-examples.js';
import { personTransport } from '../../contract/person-example.js';
import { securityLevels } from '../../contract/project-parts.js';
import type { ChallengeCall } from '../../contract/session.js';
import { nothingCompared, type BiometricComparison, type FaceMatch } from '../../contract/uniqueness.js';
import { overallThresholdDefault, type ChallengeType, type VerdictFacts } from '../../contract/verdict.js';
import type { Issue } from '../../errors.js';
import { suggest } from '../../kernel/validation.js';
import { nearestName } from '../../nearest-name.js';
import type { StoredSession } from '../sessions/session-store.js';
import { isPassive } from '../verify/camera-check.js';

export const fixedRespondentIds = [
  'test_pass',
  'test_pass_device_only',
  'test_fail_liveness',
  'test_fail_authenticity',
  'test_fail_fraud',
  'test_duplicate',
  'test_prior',
  'test_declined',
  'test_camera_error',
  'test_step_up',
  'test_expired',
] as const;
export type FixedRespondentId = (typeof fixedRespondentIds)[number];

type Named = Pick<StoredSession, 'mode' | 'respondentId'>;
type Started = Named & Pick<StoredSession, 'sessionId' | 'nonce' | 'createdAt' | 'widgetMode'>;

/** The fixed respondent of a session; null for any other, and for every session that is not of test mode. */
export function fixedRespondentOf({ mode, respondentId }: Named): FixedRespondentId | null {
  return mode === 'test' ? (fixedRespondentIds.find((id) => id === respondentId) ?? null) : null;
}

/** Describes a fault of a new session’s respondentId: in test mode, names that begin with test_ are reserved for the service. */
export function findRespondentIssue(session: Named): Issue | null {
  const { mode, respondentId } = session;
  if (mode !== 'test' || respondentId?.startsWith('test_') !== true || fixedRespondentOf(session) !== null) return null;
  const nearest = suggest(nearestName(respondentId, fixedRespondentIds));
  return { path: '/respondentId', message: `is not a documented test respondent${nearest}` };
}

/** Evidence that is judged instead of the received one. */
export interface FixedEvidence {
  readonly envelope: Envelope;
  readonly facts: Partial<VerdictFacts>;
  /** Whether the verdict may wait for a camera check. */
  readonly isEscalated: boolean;
}

/** null where what came is judged. */
export function fixedEvidenceOf(session: Started, received: Envelope): FixedEvidence | null {
  const respondent = fixedRespondentOf(session);
  if (respondent === null) return null;
  const isEscalated = respondent === 'test_step_up' && session.widgetMode !== 'standard' && isPassive(received);
  const { envelope = person, facts } = isEscalated ? automated : (endings[respondent] ?? {});
  const { sessionId, nonce } = session;
  const startedAtMs = session.createdAt.getTime();
  const asked = respondent === 'test_fail_liveness' ? otherChallenges : exampleChallenges;
  return {
    envelope: { nonce, ...envelope, sessionId },
    facts: {
      receivedAtMs: startedAtMs + captureMs,
      widgetMode: 'standard',
      challengeCount: asked.length,
      challengeCalls: callsOf(startedAtMs, asked),
      thresholds: { ...securityLevels.balanced, overall: overallThresholdDefault },
      uniqueness: { ...nothingCompared, biometric: compared },
      transport: personTransport,
      address: null,
      ...facts,
    },
    isEscalated,
  };
}

const captureMs = 20_000;
const { consent } = biometricExample;
const { nonce: _nonce, ...person } = biometricExample;
const { nonce: _other, cameraFailureReason: _reason, ...withoutCamera } = { ...deviceOnlyExample, consent };

/** Nobody alike among a thousand. */
const compared: BiometricComparison = {
  model: biometricExample.embedding.model,
  dimension: biometricExample.embedding.dimension,
  gallerySize: 1_000,
  isWindowEmpty: false,
  threshold: 0.6,
  match: null,
  returning: null,
};

/** The same face, on 2025-01-15. */
const earlier: FaceMatch = {
  fingerprintId: 'fp_test',
  sessionId: `sess_${'0'.repeat(32)}`,
  respondentId: 'test_pass',
  completedAtMs: 1_736_942_400_000,
  similarity: 0.9,
};

type Ending = {
  readonly envelope?: Omit<Envelope, 'nonce'> & Partial<Pick<Envelope, 'nonce'>>;
  readonly facts?: Partial<VerdictFacts>;
};

/** An envelope that was made for another session, where no camera has to be used. */
const automated: Ending = {
  envelope: { ...withoutCamera, nonce: 'of another session', canEscalate: true },
  facts: { widgetMode: 'captcha', minimumAssurance: 'device_only' },
};

/** The differences of each from the person before the camera. */
const endings: Readonly<Partial<Record<FixedRespondentId, Ending>>> = {
  test_pass_device_only: { envelope: withoutCamera, facts: { widgetMode: 'captcha' } },
  test_fail_authenticity: { envelope: { ...person, camera: { ...person.camera, label: 'OBS Virtual Camera' } } },
  test_fail_fraud: automated,
  test_duplicate: { facts: { uniqueness: { ...nothingCompared, biometric: { ...compared, match: earlier } } } },
  test_prior: { facts: { uniqueness: { ...nothingCompared, biometric: { ...compared, returning: earlier } } } },
  test_declined: { envelope: { ...withoutCamera, consent: { ...consent, biometric: false } } },
  test_camera_error: { envelope: { ...withoutCamera, cameraFailureReason: 'NotReadableError' } },
};

/** Challenges that the person does not answer. */
const otherChallenges = ['nod', 'turn_right', 'nod'] as const satisfies readonly ChallengeType[];

/** The page’s calls for the challenges, in the time that the example took. */
const callsOf = (startedAtMs: number, types: readonly ChallengeType[]): ChallengeCall[] =>
  exampleCalls.map(({ afterMs, body }, index) => {
    const [type, track] = [types[index], biometricExample.challenges[index]];
    const reply: ChallengeCall['reply'] =
      type === undefined || track === undefined
        ? { done: true, frameIndices: [] }
        : { index, id: track.id, type, timeoutMs: 8_000, startAfterMs: 300 };
    return { ...body, atMs: startedAtMs + 1_000 + afterMs, reply };
  });
