/**
 * Sessions of people before a camera, for tests against a service: each capture answers the challenges of its own session, and the face in it is
 * one that the test’s model of VH_FACE_MODELS knows.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { biometricExample } from '../../src/contract/envelope-examples.js';
import type { SessionReply } from '../../src/contract/session.js';
import { captureHuman } from './captures.js';
import { directionNear, embeddingOf, testModel } from './faces.js';

/** Writes a table with the test’s model; answers its path, for VH_FACE_MODELS. */
export function writeFaceModels(directory: string): string {
  const path = join(directory, 'face-models.json');
  writeFileSync(path, JSON.stringify([testModel]));
  return path;
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
