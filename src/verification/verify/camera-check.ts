/**
 * The camera check of invisible and captcha mode: a session whose passive signals do not pass stays open for it, once, where the page can ask for
 * the camera. No retry, quota or webhook is spent until the session ends. The same envelope again gets the same answer, unjudged; another one ends the session.
 * The network and the input of both count, and where no capture could be judged, the device and the headers of the first.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { StoredProject } from '../../administration/project-store.js';
import type { Envelope } from '../../contract/envelope.js';
import type { AddressFacts } from '../../contract/facts.js';
import type { ProbeTransport } from '../../contract/probe.js';
import { configDefaults } from '../../contract/project.js';
import type { CameraCheckReply } from '../../contract/score-envelope.js';
import type { Verdict } from '../../contract/verdict.js';
import { passiveBytesMax } from '../../limits.js';
import type { Database } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import { challengeConfigOf, countChallenges, livenessModelsOf } from '../sessions/challenges.js';
import { escalateSession, type StoredSession } from '../sessions/session-store.js';

/** Whether an invisible session takes what the camera saw. */
export const asksCamera = ({ escalationHash, minimumAssurance }: StoredSession, { fields }: StoredProject): boolean =>
  escalationHash !== null ||
  minimumAssurance === 'biometric' ||
  (fields.config?.escalateOnSuspicion ?? configDefaults.escalateOnSuspicion);

/** The envelope with its device and behaviour in the last places, so that equal ones have one hash. */
function inOrder({ device, behavior, ...rest }: Envelope): Envelope {
  return { ...rest, ...(device !== undefined && { device }), ...(behavior !== undefined && { behavior }) };
}

/** Hashes an envelope as it came, so that the same one is known before it is judged. */
const hashOf = (received: Envelope): Uint8Array =>
  createHash('sha256')
    .update(JSON.stringify(inOrder(received)))
    .digest();

/** The answer that asked for the camera, to the envelope that got it; null to any other. */
export function findCameraCheck({
  session,
  envelope,
}: {
  readonly session: StoredSession;
  readonly envelope: Envelope;
}): CameraCheckReply | null {
  const { escalationHash } = session;
  if (
    escalationHash === null ||
    !isPassive(envelope) ||
    !hashOf(envelope).every((byte, at) => byte === escalationHash[at])
  )
    return null;
  return cameraCheckOf(session, session.challengeCount);
}

function cameraCheckOf(
  { sessionId, nonce, widgetMode, minimumAssurance }: StoredSession,
  challengeCount: number,
): CameraCheckReply {
  const livenessModels = livenessModelsOf({ widgetMode, minimumAssurance, escalateOnSuspicion: true });
  return { sessionId, cameraCheck: { challengeConfig: challengeConfigOf({ nonce, challengeCount }), livenessModels } };
}

interface Sent {
  readonly envelope: Envelope;
  readonly transport: ProbeTransport;
}

/**
 * The submission with the device and the headers that asked for the camera, if a verdict judged others and no capture: a second envelope cannot
 * replace what the first showed by sending something in place of a face. null where the verdict stands.
 */
export function withFirstSignals(
  { envelope, transport }: Sent,
  { passiveSignals }: Pick<StoredSession, 'passiveSignals'>,
  { biometricEvidence }: Pick<Verdict, 'biometricEvidence'>,
): Sent | null {
  if (passiveSignals === null || biometricEvidence !== null) return null;
  const { device, transport: first } = passiveSignals;
  if (isDeepStrictEqual([device, first], [envelope.device, transport])) return null;
  const { device: _device, ...rest } = envelope;
  return { envelope: { ...rest, ...(device !== undefined && { device }) }, transport: first };
}

/** null where the verdict stands. */
export async function escalate(
  database: Database,
  {
    session,
    project,
    received,
    envelope,
    transport,
    address,
  }: Sent & {
    readonly session: StoredSession;
    readonly project: StoredProject;
    readonly received: Envelope;
    readonly address: AddressFacts | null;
  },
  verdict: Verdict,
): Promise<CameraCheckReply | null> {
  const { device, behavior } = envelope;
  const { sessionId, organizationId, widgetMode, minimumAssurance, evidenceFrames, escalationHash } = session;
  const policy = {
    ...configDefaults,
    ...project.fields.config,
    widgetMode,
    minimumAssurance,
    evidenceFrames,
    escalateOnSuspicion: true,
  };
  if (escalationHash !== null) return null;
  const isAllowed = policy.challengeEnabled || minimumAssurance === 'biometric';
  const isOpen = widgetMode === 'invisible' || (widgetMode === 'captcha' && isAllowed);
  if (!isOpen || !isPassive(envelope) || verdict.status === 'pass' || verdict.failureCategory === 'duplicate')
    return null;
  const signals = {
    ...{ transport, address },
    ...(device !== undefined && { device }),
    ...(behavior !== undefined && { behavior }),
  };
  if (Buffer.byteLength(JSON.stringify(signals)) > passiveBytesMax) return null;
  const passive = { hash: hashOf(received), signals };
  const challengeCount = await inOrganization(database, organizationId, (tx) =>
    escalateSession(tx, sessionId, passive, countChallenges(policy)),
  );
  return challengeCount === null ? null : cameraCheckOf(session, challengeCount);
}

/** Whether the camera was not tried, and the page can still ask for it. */
export const isPassive = ({ canEscalate, consent, frames, embedding, cameraFailureReason }: Envelope): boolean =>
  canEscalate === true && consent?.biometric !== false && (frames ?? embedding ?? cameraFailureReason) == null;
