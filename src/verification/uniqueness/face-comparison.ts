/**
 * Compares a face with those of earlier participants. The index only proposes: results come from the database’s rows, unsealed and compared in full
 * precision. While the index is being filled, and where searches pile up, the caller gets OVERLOADED: nobody passes as unique because nobody looked.
 */
import { judgeCameraUse, type CameraPolicy, type Envelope } from '../../contract/envelope.js';
import type { Deduplication } from '../../contract/project-parts.js';
import type { BiometricComparison, Participation } from '../../contract/uniqueness.js';
import { Fault } from '../../errors.js';
import type { Queryable } from '../../stores/database/port.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { blockedSince } from './deduplication-scope.js';
import { decodeEmbedding, directionOf, dot } from './embedding.js';
import type { FaceIndex } from './face-index.js';
import {
  cutoffsFor,
  pairCutoffs,
  judgeFaces,
  type FaceModel,
  type FaceModels,
  type FaceQuestion,
  type JudgedFaces,
  type Likely,
} from './face-models.js';
import type { FaceRecord, FaceScope, Fingerprint, FingerprintStore, OwnFacesQuery } from './fingerprint-store.js';
import type { FairLimiter } from '../../fair-limiter.js';
import type { Searcher } from './scan/searcher.js';

export interface FaceComparerDeps {
  readonly store: FingerprintStore;
  readonly models: FaceModels;
  readonly searcher: Searcher;
  /** In which organizations share the search threads. */
  readonly turns: Pick<FairLimiter, 'run'>;
  /** The searchable faces, and the time up to which they are complete; null while the index is filling. */
  readonly index: () => { readonly faces: FaceIndex; readonly horizon: string } | null;
  readonly metrics: Pick<Metrics, 'faceComparisons' | 'faceSearch'>;
}

export interface Face {
  readonly record: FaceRecord;
  readonly model: FaceModel;
  readonly direction: Float32Array;
  /** Whether it may be compared with those of others, and not only with the same person’s. */
  readonly isForAll: boolean;
}

/** A face on its way through the comparison. */
export interface FaceSearch {
  readonly face: Face;
  readonly scope: FaceScope;
  readonly horizon: string;
  readonly question: FaceQuestion;
  /** Fingerprints that the index proposes. */
  readonly numbers: readonly number[];
  /** How many faces the index holds now, with those of the fingerprints that it does not hold yet. */
  readonly sizeWith: (newer: readonly number[]) => number;
}

const recentMax = 16;
/** Participations that the index does not know yet; more means that it does not keep up. */
const newerMax = 500;

/** The face that may be compared: consented to, of a model that is known, and a vector that such a model makes. refused: there is one, and it is not. */
export function readFace(
  { models, metrics }: FaceComparerDeps,
  policy: CameraPolicy,
  envelope: Envelope,
): Face | 'refused' | null {
  const { embedding } = envelope;
  if (embedding == null || judgeCameraUse(envelope, policy) !== 'usable') return null;
  const forAll = models(embedding.model, embedding.dimension);
  const model = forAll ?? models.ofPairs(embedding.model, embedding.dimension);
  const raw = decodeEmbedding(embedding);
  const direction = model === null || typeof raw === 'string' ? null : directionOf(raw, model);
  if (model === null || typeof raw === 'string' || !(direction instanceof Float32Array)) {
    metrics.faceComparisons.inc({ result: model === null ? 'unknown_model' : 'refused' });
    return models.size === 0 ? null : 'refused';
  }
  // If the operator compares faces, a face that only the SDK’s own model knows is compared with none.
  if (forAll === null && models.size > 0) {
    metrics.faceComparisons.inc({ result: 'unknown_model' });
    return 'refused';
  }
  const record = { model: embedding.model, dimension: embedding.dimension, raw };
  return { record, model, direction, isForAll: forAll !== null };
}

interface SearchedSession {
  readonly organizationId: string;
  readonly rootSessionId: string;
  readonly deduplication: Deduplication;
}

/** Whom the index proposes for a face. */
export async function searchFace(
  { index, searcher, turns, metrics }: FaceComparerDeps,
  { organizationId, rootSessionId, deduplication }: SearchedSession,
  { face, scope, nowMs }: { readonly face: Face; readonly scope: FaceScope; readonly nowMs: number },
): Promise<FaceSearch> {
  const current = index();
  if (current === null) throw notReady('the index of faces is being filled');
  const held = current.faces.find(face.record);
  const cells = held?.cellsOf(scope) ?? [];
  const gallerySize = held?.gallery.sizeOf(cells) ?? 0;
  const blockedSinceMs = blockedSince(deduplication, nowMs);
  const cutoffs = cutoffsFor(face.model, gallerySize);
  const { model, dimension } = face.record;
  const question = { model, dimension, gallerySize, ...cutoffs, rootSessionId, blockedSinceMs };
  const sizeWith: FaceSearch['sizeWith'] = (newer) => {
    const now = current.faces.find(face.record);
    const unheld = newer.filter((number) => now?.gallery.has(number) !== true).length;
    return (now?.gallery.sizeOf(now.cellsOf(scope)) ?? 0) + unheld;
  };
  const searched = { face, scope, horizon: current.horizon, question, numbers: [], sizeWith };
  if (held === null || gallerySize === 0) return searched;
  const template = held.encode(face.direction);
  const end = metrics.faceSearch.startTimer();
  const query = {
    cells,
    template,
    likenessMin: cutoffs.near,
    likenessSure: cutoffs.same,
    sinceSeconds: Math.max(0, Math.floor(blockedSinceMs / 1_000)),
    bestMax: recentMax,
  };
  const { recent, earlier } = await turns.run(organizationId, () => searcher.search(held.gallery, query));
  end();
  const numbers = [...recent, ...earlier].flatMap(({ slot }) => held.gallery.confirm(slot, template)?.number ?? []);
  return { ...searched, numbers };
}

export async function compareFace(
  { store }: FaceComparerDeps,
  tx: Queryable,
  { face, scope, horizon, question, numbers, sizeWith }: FaceSearch,
): Promise<BiometricComparison> {
  const [proposed, newer] = await Promise.all([
    store.byNumbers(tx, scope, numbers, face.record),
    store.since(tx, scope, horizon, face.record, newerMax + 1),
  ]);
  if (newer.length > newerMax) throw notReady('the index of faces lags too far behind');
  const gallerySize = sizeWith(newer.map(({ number }) => number));
  const found = [...proposed, ...newer].flatMap((fingerprint) => likelyOf(face, fingerprint));
  const judged = judgeFaces({ ...question, gallerySize, ...cutoffsFor(face.model, gallerySize) }, found);
  const { rootSessionId, blockedSinceMs } = question;
  // Without a window everybody in the gallery blocks.
  const isAsked = judged.match === null && Number.isFinite(blockedSinceMs);
  const isWindowEmpty = isAsked && !(await store.hasRecent(tx, scope, face.record, rootSessionId, blockedSinceMs));
  return { ...judged, isWindowEmpty };
}

/** Whether a participation that came after the comparison, and which it could not see, is the same person. Asked under the lock of the scope. */
export async function cameMeanwhile(
  { store }: FaceComparerDeps,
  tx: Queryable,
  { face, scope, horizon, question }: FaceSearch,
): Promise<boolean> {
  const newer = await store.since(tx, scope, horizon, face.record, newerMax + 1);
  if (newer.length > newerMax) throw notReady('more participations came between than a completion looks through');
  return isDuplicate(
    judgeFaces(
      question,
      newer.flatMap((fingerprint) => likelyOf(face, fingerprint)),
    ),
  );
}

export interface OwnFaces {
  /** The respondent’s last participation that shows the same face. */
  readonly participation: Participation | null;
  /** Whether the face is another than in all participations whose respondent more than a page named; without one, than in the chain’s first try. */
  readonly isOther: boolean;
}

/** The face against those of the same person, one by one; null where there is none. */
export async function compareOwn(
  { store }: FaceComparerDeps,
  tx: Queryable,
  face: Face,
  own: OwnFacesQuery,
): Promise<OwnFaces | null> {
  const found = (await store.ofPerson(tx, own, face.record)).flatMap((fingerprint) => likelyOf(face, fingerprint));
  if (found.length === 0) return null;
  const { same, other } = pairCutoffs(face.model);
  // Any page may take part under an id: that it was another face must not fail whose id it is. And a try that failed vouches for no face.
  const isOwn = ({ fingerprint }: Likely): boolean => fingerprint.rootSessionId === own.rootSessionId;
  const participations = found.filter((each) => !isOwn(each) && each.fingerprint.respondentTrusted);
  const references = participations.length > 0 ? participations : found.filter(isOwn).slice(0, 1);
  const earlier = found.find(
    ({ fingerprint, similarity }) => fingerprint.rootSessionId !== own.rootSessionId && similarity >= same,
  );
  return {
    participation: earlier === undefined ? null : participationOf(earlier.fingerprint),
    isOther: references.length > 0 && references.every(({ similarity }) => similarity < other),
  };
}

/** Without the face, which goes nowhere. */
const participationOf = ({ fingerprintId, sessionId, respondentId, completedAtMs }: Fingerprint): Participation => ({
  ...{ fingerprintId, sessionId, respondentId, completedAtMs },
});

/** Full precision; nothing where the row’s embedding does not open. */
function likelyOf({ direction, model }: Face, fingerprint: Fingerprint): readonly Likely[] {
  const theirs = fingerprint.face === null ? null : directionOf(fingerprint.face.raw, model);
  return theirs instanceof Float32Array ? [{ fingerprint, similarity: dot(direction, theirs) }] : [];
}

export function isDuplicate(biometric: JudgedFaces | null): boolean {
  return biometric?.match != null && biometric.match.similarity >= biometric.threshold;
}

const notReady = (internal: string): Fault =>
  new Fault('OVERLOADED', 'Face matching is not available. Try again in a moment.', {
    headers: { 'retry-after': '2' },
    internal,
  });
