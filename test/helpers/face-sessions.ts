/**
 * Sessions of people before a camera, for tests against a service: each capture answers the challenges of its own session, and the face in it is
 * one that the test’s model of VH_FACE_MODELS knows.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { biometricExample } from '../../src/contract/envelope-examples.js';
import type { SessionReply } from '../../src/contract/session.js';
import { temporaryDirectory } from './directories.js';
import { directionNear, embeddingOf, testModel } from './faces.js';
import { askerOf, playCapture } from './play.js';
import { startTestService, type TestService } from './service.js';

/** Writes a table with the test’s model; answers its path, for VH_FACE_MODELS. */
function writeFaceModels(directory: string): string {
  const path = join(directory, 'face-models.json');
  writeFileSync(path, JSON.stringify([testModel]));
  return path;
}

/** A service that knows the test’s model; `clock.aheadMs` is how far its clock is ahead. */
export async function startFaceService(t: Test, settings: Readonly<Record<string, string>> = {}) {
  const clock = { aheadMs: 0 };
  const service = await startTestService(
    t,
    { ...settings, VH_FACE_MODELS: writeFaceModels(temporaryDirectory(t)), VH_WEBHOOK_ALLOW_PRIVATE: 'on' },
    { now: () => Date.now() + clock.aheadMs },
  );
  return { service, clock, organization: { 'x-api-key': service.bootstrap.organizationKey } };
}

export interface FaceService {
  readonly service: Pick<TestService, 'call'>;
  readonly clock: { aheadMs: number };
}

/** Measurements of a person who does what the session asks, to be put over an envelope of the session. The clock goes on by as much. */
export async function measurePerson(
  { service, clock }: FaceService,
  session: SessionReply,
  { person, seed, random }: { readonly person: Float32Array; readonly seed: number; readonly random: () => number },
) {
  const pass = (ms: number): void => void (clock.aheadMs += ms);
  const player = { ask: askerOf(service, session), pass };
  const { frames, challenges, endMs } = await playCapture(session.challengeConfig.count, player, { seed });
  const { consent, camera, features, demographics, glassesDetected } = biometricExample;
  return {
    ...{ consent, camera, features, demographics, glassesDetected, frames, challenges },
    cameraFailureReason: undefined,
    embedding: embeddingOf(directionNear(person, 0.93, random)),
    timings: { totalMs: Math.ceil(endMs) },
  };
}
