/**
 * Knowledge about each embedding model: how alike two different people come out. From that follows how alike two faces must be, for the size
 * of the gallery at hand, to be called one person. A model that is not in the table is never compared, because nothing says what its likeness means.
 *
 * The table is the operator’s (VH_FACE_MODELS), and empty without one: a guess at these numbers would call strangers one person. A file that cannot
 * be used stops the start with a sentence that names the entry.
 */
import { readJson } from '../../config/read-json.js';
import { embeddingDimensionMax, embeddingDimensionMin } from '../../limits.js';
import type { BiometricComparison, FaceMatch } from '../../contract/uniqueness.js';
import type { Fingerprint } from './fingerprint-store.js';
import { shippedFaceModel } from './shipped-face-model.js';

export interface FaceModel {
  readonly model: string;
  readonly dimension: number;
  /** Cosine of two different people’s embeddings, after `center` was taken off. */
  readonly impostor: { readonly mean: number; readonly deviation: number };
  /** Mean of the embeddings at unit length, where the model has one that is far from 0. */
  readonly center: Float32Array | null;
}

/** False match rate of a whole gallery, so 0.001 / N of one comparison. */
export const falseMatchShare = 0.001;
/** Report threshold: a 5% chance of a random match. */
const nearShare = 0.05;
const likenessMax = 0.999;

export interface Cutoffs {
  /** Least likeness that means the same person. */
  readonly same: number;
  /** Least likeness that is worth telling. */
  readonly near: number;
}

/** The cutoffs for a gallery of `size` templates. They rise with it: a hundred times the faces, a hundredth of the errors each. */
export function cutoffsFor({ impostor }: FaceModel, size: number): Cutoffs {
  const at = (share: number): number =>
    Math.min(likenessMax, impostor.mean + impostor.deviation * sigmasFor(share / Math.max(1, size)));
  return { same: at(falseMatchShare), near: at(nearShare) };
}

/** Cutoffs for one face against one: from `same` on it is the same person; below `other` it is as unlike as most strangers are. */
export function pairCutoffs(model: FaceModel): { readonly same: number; readonly other: number } {
  return { same: cutoffsFor(model, 1).same, other: model.impostor.mean + model.impostor.deviation };
}

export interface FaceModels {
  (model: string, dimension: number): FaceModel | null;
  /** How many are known; 0: no face is compared with those of others. */
  readonly size: number;
  /** For comparing one face with one: the same, and the SDK’s own. */
  readonly ofPairs: (model: string, dimension: number) => FaceModel | null;
}

export function createFaceModels(models: readonly FaceModel[]): FaceModels {
  const byName = new Map(models.map((entry) => [`${entry.model}\n${entry.dimension}`, entry]));
  const find = (model: string, dimension: number): FaceModel | null => byName.get(`${model}\n${dimension}`) ?? null;
  const { model: shipped, dimension: width } = shippedFaceModel;
  const ofPairs: FaceModels['ofPairs'] = (model, dimension) =>
    find(model, dimension) ?? (model === shipped && dimension === width ? shippedFaceModel : null);
  return Object.assign(find, { size: byName.size, ofPairs });
}

const setting = 'VH_FACE_MODELS';
const modelsMax = 100;

/** Reads the file, a JSON list of `{ model, dimension, impostor: { mean, deviation }, center? }`. */
export async function readFaceModels(path: string | null): Promise<FaceModels> {
  if (path === null) return createFaceModels([]);
  const list = await readJson(setting, path);
  if (!Array.isArray(list) || list.length > modelsMax)
    throw new Error(`${setting} names ${path}, which is not a list of at most ${modelsMax} models.`);
  return createFaceModels(list.map((entry: unknown, index) => checkModel(entry, index)));
}

function checkModel(entry: unknown, index: number): FaceModel {
  const expect = (holds: boolean, problem: string): void => {
    if (!holds) throw new Error(`${setting}: entry ${index} ${problem}.`);
  };
  const { model, dimension, impostor, center = null } = (entry ?? {}) as Record<string, unknown>;
  const { mean, deviation } = (impostor ?? {}) as Record<string, unknown>;
  expect(typeof model === 'string' && model.length > 0 && model.length <= 64, 'needs a model of 1 to 64 characters');
  expect(
    Number.isInteger(dimension) &&
      Number(dimension) >= embeddingDimensionMin &&
      Number(dimension) <= embeddingDimensionMax,
    `needs a dimension from ${embeddingDimensionMin} to ${embeddingDimensionMax}`,
  );
  expect(typeof mean === 'number' && mean > -1 && mean < 1, 'needs impostor.mean between -1 and 1');
  expect(typeof deviation === 'number' && deviation > 0 && deviation < 1, 'needs impostor.deviation between 0 and 1');
  expect(
    center === null ||
      (Array.isArray(center) && center.length === dimension && center.every((value) => Number.isFinite(value))),
    'has a center that is not a list of as many numbers as the dimension',
  );
  return {
    model: String(model),
    dimension: Number(dimension),
    impostor: { mean: Number(mean), deviation: Number(deviation) },
    center: center === null ? null : Float32Array.from(center as number[]),
  };
}

const sqrtTwoPi = Math.sqrt(2 * Math.PI);
const sigmasMax = 37;

/** Share of a normal distribution above `sigmas` (0 or more). */
export function tailAbove(sigmas: number): number {
  const density = Math.exp((-sigmas * sigmas) / 2) / sqrtTwoPi;
  if (sigmas < 2.5) {
    // The series of the integral from 0, which converges fast here.
    let term = sigmas;
    let sum = sigmas;
    for (let n = 1; n < 100; n += 1) {
      term *= (sigmas * sigmas) / (2 * n + 1);
      sum += term;
    }
    return 0.5 - density * sum;
  }
  let fraction = sigmas;
  for (let n = 60; n > 0; n -= 1) fraction = sigmas + n / fraction;
  return density / fraction;
}

/** The inverse of `tailAbove`. */
export function sigmasFor(share: number): number {
  let low = 0;
  let high = sigmasMax;
  if (!(share > 0 && share <= 0.5)) throw new RangeError(`a tail holds a share above 0 and at most 0.5, not ${share}`);
  for (let step = 0; step < 80; step += 1) {
    const middle = (low + high) / 2;
    if (tailAbove(middle) > share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

export interface Likely {
  readonly fingerprint: Fingerprint;
  readonly similarity: number;
}

export interface FaceQuestion {
  readonly model: string;
  readonly dimension: number;
  readonly gallerySize: number;
  /** Least similarity of one person. */
  readonly same: number;
  /** Least similarity that is reported. */
  readonly near: number;
  readonly rootSessionId: string;
  /** From this time on a participation blocks, itself included. */
  readonly blockedSinceMs: number;
}

export type JudgedFaces = Omit<BiometricComparison, 'isWindowEmpty'>;

export function judgeFaces(question: FaceQuestion, found: readonly Likely[]): JudgedFaces {
  const { model, dimension, gallerySize, same, near, rootSessionId, blockedSinceMs } = question;
  const others = found.filter(({ fingerprint }) => fingerprint.rootSessionId !== rootSessionId);
  const isBlocking = ({ fingerprint }: Likely): boolean => fingerprint.completedAtMs >= blockedSinceMs;
  const match = mostAlike(others.filter((one) => isBlocking(one) && one.similarity >= near));
  const returning = mostAlike(others.filter((one) => !isBlocking(one) && one.similarity >= same));
  return { model, dimension, gallerySize, threshold: same, match, returning };
}

/** The latest of equals wins. */
function mostAlike(list: readonly Likely[]): FaceMatch | null {
  const [first] = [...list].sort(
    (a, b) => b.similarity - a.similarity || b.fingerprint.completedAtMs - a.fingerprint.completedAtMs,
  );
  if (first === undefined) return null;
  const { fingerprintId, sessionId, respondentId, completedAtMs } = first.fingerprint;
  return { fingerprintId, similarity: Math.min(1, first.similarity), sessionId, respondentId, completedAtMs };
}
