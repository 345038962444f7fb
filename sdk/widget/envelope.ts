/**
 * The verification envelope out of what was measured. A part that was not measured stays away; nothing biometric goes in without consent.
 */
import type { Envelope, EnvelopeConsent } from '../../src/contract/envelope.js';
import type { SessionReply } from '../../src/contract/session.js';
import type { DeviceFacts } from './device.js';
import type { CapturedParts } from './ports.js';
import { version } from './version.js';

export interface EnvelopeFacts {
  readonly session: Pick<SessionReply, 'sessionId' | 'challengeConfig'>;
  readonly locale: string;
  readonly device: DeviceFacts;
  /** Null where nothing biometric was asked for. */
  readonly consent: EnvelopeConsent | null;
  readonly parts: CapturedParts;
  readonly cameraFailureReason: string | null;
  /** Milliseconds since the session's challenges arrived. */
  readonly consentMs: number | null;
  readonly totalMs: number;
  readonly canEscalate: boolean;
}

export function buildEnvelope(facts: EnvelopeFacts): Envelope {
  const { session, device, consent, parts } = facts;
  const { beh, ...groups } = device.groups;
  const { cameraMs, modelsMs, challenges, ...measured } = parts;
  const mayUse = consent?.biometric === true;
  return {
    v: 1,
    sdk: `verifyhuman/${version}`,
    sessionId: session.sessionId,
    nonce: session.challengeConfig.nonce,
    locale: facts.locale.slice(0, 35),
    ...(consent === null ? {} : { consent }),
    device: { ...groups, gaps: [...device.gaps] },
    ...(beh === undefined ? {} : { behavior: beh }),
    ...(mayUse ? { ...measured, ...(challenges ? { challenges: [...challenges] } : {}) } : {}),
    ...(facts.cameraFailureReason === null ? {} : { cameraFailureReason: facts.cameraFailureReason }),
    ...(facts.canEscalate ? { canEscalate: true } : {}),
    timings: {
      consentMs: facts.consentMs,
      cameraMs: cameraMs ?? null,
      modelsMs: modelsMs ?? null,
      totalMs: facts.totalMs,
    },
  };
}
