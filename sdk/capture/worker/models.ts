/** The models in two parts: what it takes to follow a face, and what can come while that is under way. */
import type { GraphModel } from 'tfjs-bundle';
import { unpackWeights, type Weights } from './layers.js';
import { buildGraph, fetchGraph, fetchWeights, startBackend, type Source } from './load.js';

export interface FirstModels {
  readonly detector: GraphModel;
  readonly mesh: GraphModel;
  readonly iris: GraphModel;
}

export interface LaterModels {
  readonly recognition: Weights;
  /** null where demographics are not asked for: the model is not fetched then. */
  readonly ageGender: Weights | null;
}

export async function loadFirst(source: Source): Promise<FirstModels> {
  const [detector, mesh, iris] = await Promise.all([
    fetchGraph(source, 'blazeface'),
    fetchGraph(source, 'facemesh'),
    fetchGraph(source, 'iris'),
    startBackend(source),
  ]);
  return { detector: await buildGraph(detector), mesh: await buildGraph(mesh), iris: await buildGraph(iris) };
}

export const fetchRecognition = async (source: Source): Promise<Weights> =>
  unpackWeights(await fetchWeights(source, 'face_recognition_model'));

/**
 * Fetches and checks the rest, and gives back how to build it: that takes this thread some hundred milliseconds, in which a blink would go by
 * unseen.
 */
export async function fetchLater(source: Source, demographics: boolean): Promise<() => Promise<LaterModels>> {
  const [recognition, ageGender] = await Promise.all([
    fetchWeights(source, 'face_recognition_model'),
    demographics ? fetchWeights(source, 'age_gender_model') : null,
  ]);
  return async () => ({
    recognition: unpackWeights(recognition),
    ageGender: ageGender === null ? null : unpackWeights(ageGender),
  });
}
