/**
 * Sessions of people before a camera, for tests against a service: each capture answers the challenges of its own session, and the face in it is
 * one that the test’s model of VH_FACE_MODELS knows.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { biometricExample } from '../../src/contract/envelope-examples.js';
import type { SessionReply } from '../../src/contract/session.js';
import { captureHuman } from './captures.js';
import { temporaryDirectory } from './directories.js';
import { directionNear, embeddingOf, testModel } from './faces.js';
import { startTestService } from './service.js';

/** Writes a table with the test’s model; answers its path, for VH_FACE_MODELS. */
function writeFaceModels(directory: string): string {
  const path = join(directory, 'face-models.json');
  writeFileSync(path, JSON.stringify([testModel]));
  return path;
}

/** A service that knows the test’s model; `clock.aheadMs` is how far its clock is ahead. */
export async function startFaceService(t: Test) {
  const clock = { aheadMs: 0 };
  const service = await startTestService(
    t,
    { VH_FACE_MODELS: writeFaceModels(temporaryDirectory(t)), VH_WEBHOOK_ALLOW_PRIVATE: 'on' },
    { now: () => Date.now() + clock.aheadMs },
  );
  return { service, clock, organization: { 'x-api-key': service.bootstrap.organizationKey } };
}

/** What a page measures of a person who does what the session asks, to be put over an envelope of the session. */
export function measurePerson(
  { challengeConfig }: SessionReply,
  { person, seed, random }: { readonly person: Float32Array; readonly seed: number; readonly random: () => number },
) {
  const { frames, challenges, endMs } = captureHuman({ seed, challenges: [...challengeConfig.challenges] });
  const { consent, camera, features, demographics, glassesDetected } = biometricExample;
  return {
    ...{ consent, camera, features, demographics, glassesDetected, frames, challenges },
    cameraFailureReason: undefined,
    embedding: embeddingOf(directionNear(person, 0.93, random)),
    timings: { totalMs: Math.ceil(endMs) },
  };
}
