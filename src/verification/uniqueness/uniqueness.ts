/**
 * One human counts once: compares a session with earlier participants, and keeps what later ones are compared with.
 *
 *   compare:  index (search thread) ──candidates──▶ rows of the database + rows newer than the index ──exact──▶ facts
 *   record:   lock of the scope ──▶ rows newer than what compare saw: the same person among them? ConcurrentDuplicateError : insert
 *
 * The index only proposes. Results come from the database’s rows, unsealed and compared in full precision, so that erased, moved or
 * tampered rows are never reported, however far an index lags. Of two completions of one person at one moment, on whichever instances, one
 * is refused and finds the other when it is tried again. While the index is being filled, and where searches pile up, faces are not compared
 * and the caller gets OVERLOADED: nobody passes as unique because nobody looked.
 */
import type { SessionMode } from '../../contract/common.js';
import { judgeCameraUse, type CameraPolicy, type Envelope } from '../../contract/envelope.js';
import type { BiometricComparison, UniquenessFacts } from '../../contract/uniqueness.js';
import { Fault } from '../../errors.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { blockedSince, locksOf, resolveScope, type Deduplicated } from './deduplication-scope.js';
import type { DeviceComparer } from './device-comparison.js';
import { decodeEmbedding, directionOf, dot } from './embedding.js';
import type { FaceIndex } from './face-index.js';
import {
  judgeFaces,
  type FaceQuestion,
  type JudgedFaces,
  type Likely,
  cutoffsFor,
  type FaceModel,
  type FaceModels,
} from './face-models.js';
import type { DeviceRecord, FaceRecord, Fingerprint, FingerprintStore, Scope } from './fingerprint-store.js';
import type { Searcher } from './scan/searcher.js';

/** The session that is compared. */
export interface ComparedSession extends Deduplicated, CameraPolicy {
  readonly sessionId: string;
  /** First session of the chain of retries; a chain is nobody’s duplicate of itself. */
  readonly rootSessionId: string;
  readonly respondentId: string | null;
  /** Those that are not live are compared with nobody, and nobody with them. */
  readonly mode: SessionMode;
}

export interface Completion {
  readonly completedAt: Date;
  readonly status: 'pass' | 'fail' | 'review';
}

/** Somebody whom `compare` could not see yet completed meanwhile, and is the same person: compare again, decide again. */
export class ConcurrentDuplicateError extends Fault {
  constructor() {
    super('OVERLOADED', 'The same person is completing another session right now. Try again in a moment.', {
      headers: { 'retry-after': '1' },
      internal: 'a participation of the same face was committed after the comparison',
    });
    this.name = 'ConcurrentDuplicateError';
  }
}

export interface UniquenessDeps {
  readonly database: Database;
  readonly store: FingerprintStore;
  readonly models: FaceModels;
  readonly devices: DeviceComparer;
  readonly searcher: Searcher;
  /** What can be searched now, and what it can vouch for; null while it is being filled. */
  readonly index: () => { readonly faces: FaceIndex; readonly horizon: string } | null;
  readonly makeFingerprintId: () => string;
  readonly metrics: Pick<Metrics, 'faceComparisons' | 'faceSearch'>;
}

export type Uniqueness = ReturnType<typeof createUniqueness>;

interface Face {
  readonly record: FaceRecord;
  readonly model: FaceModel;
  readonly direction: Float32Array;
}

/** What a comparison took from an envelope and saw, kept for the completion of the same envelope. */
interface Seen {
  readonly face: Face | null;
  readonly device: DeviceRecord | null;
  readonly scope: Scope;
  readonly horizon: string;
  readonly question: FaceQuestion | null;
  readonly matched: string | null;
}

const recentMax = 16;
/** Participations that the index does not know yet; more means that it does not keep up. */
const newerMax = 500;

export function createUniqueness(deps: UniquenessDeps) {
  const { database, store, devices } = deps;
  const seenOf = new WeakMap<Envelope, Seen>();

  async function look(session: ComparedSession, envelope: Envelope, nowMs: number): Promise<UniquenessFacts> {
    const face = readFace(deps, session, envelope);
    const device = await devices.describe(session.organizationId, envelope);
    if (face === null && device === null) return { biometric: null, device: null };
    const inTenant = <T>(work: (tx: Queryable) => Promise<T>) => inOrganization(database, session.organizationId, work);
    const scope = await resolveScope(inTenant, session);
    const { horizon, question, numbers, sizeWith } = await search(deps, session, { face, scope, nowMs });
    const sinceMs = Math.max(0, blockedSince(session.deduplication, nowMs));
    const [biometric, found] = await inTenant((tx) =>
      Promise.all([
        face === null || question === null
          ? null
          : compareFace(deps, tx, { face, scope, horizon, question, numbers, sizeWith }),
        device === null ? null : devices.find(tx, { scope, device, rootSessionId: session.rootSessionId, sinceMs }),
      ]),
    );
    const likeness = device === null || found === null ? null : await devices.judge(device, found, nowMs);
    const asked = question === null || biometric === null ? null : { ...question, same: biometric.threshold };
    const matched = isDuplicate(biometric) ? (biometric?.match?.fingerprintId ?? null) : null;
    seenOf.set(envelope, { face, device, scope, horizon, question: asked, matched });
    return { biometric, device: likeness };
  }

  return {
    /** Compares with earlier participants. Null in the answer is what there was nothing to compare of. */
    async compare(session: ComparedSession, envelope: Envelope, nowMs: number): Promise<UniquenessFacts> {
      if (session.mode !== 'live') return { biometric: null, device: null };
      const facts = await look(session, envelope, nowMs);
      deps.metrics.faceComparisons.inc({ result: resultOf(facts.biometric) });
      return facts;
    },

    /**
     * Keeps what later sessions are compared with, in the transaction that completes the session (of its organization). Throws
     * ConcurrentDuplicateError where the same person completed another session after `compare` looked; nothing is written then.
     */
    async record(
      tx: Queryable,
      session: ComparedSession,
      envelope: Envelope,
      { completedAt, status }: Completion,
    ): Promise<void> {
      if (session.mode !== 'live') return;
      if (!seenOf.has(envelope)) await look(session, envelope, completedAt.getTime());
      const seen = seenOf.get(envelope);
      if (seen === undefined) return;
      if (status !== 'fail' && seen.question !== null && seen.matched === null)
        await holdAlone(deps, tx, session, seen);
      const { organizationId, projectId, sessionId, rootSessionId, respondentId, dataCollector } = session;
      await store.insert(tx, {
        ...{ organizationId, projectId, sessionId, rootSessionId, respondentId, dataCollector, status },
        fingerprintId: deps.makeFingerprintId(),
        completedAtMs: completedAt.getTime(),
        face: seen.face?.record ?? null,
        device: seen.device ?? { ref: null, sketch: null, bands: [] },
      });
    },
  };
}

/** The face that may be compared: consented to, of a model that is known, and a vector that such a model makes. */
function readFace({ models, metrics }: UniquenessDeps, policy: CameraPolicy, envelope: Envelope): Face | null {
  const { embedding } = envelope;
  if (embedding == null || judgeCameraUse(envelope, policy) !== 'usable') return null;
  const model = models(embedding.model, embedding.dimension);
  const raw = decodeEmbedding(embedding);
  const direction = model === null || typeof raw === 'string' ? null : directionOf(raw, model);
  if (model === null || typeof raw === 'string' || !(direction instanceof Float32Array)) {
    metrics.faceComparisons.inc({ result: model === null ? 'unknown_model' : 'refused' });
    return null;
  }
  return { record: { model: embedding.model, dimension: embedding.dimension, raw }, model, direction };
}

interface Search {
  readonly horizon: string;
  readonly question: FaceQuestion | null;
  /** Fingerprints that the index proposes. */
  readonly numbers: readonly number[];
  /** How many faces the index holds now, with those of the fingerprints that it does not hold yet. */
  readonly sizeWith: (newer: readonly number[]) => number;
}

const nothingSearched: Search = { horizon: '0', question: null, numbers: [], sizeWith: (newer) => newer.length };

async function search(
  { index, searcher, metrics }: UniquenessDeps,
  { rootSessionId, deduplication }: ComparedSession,
  { face, scope, nowMs }: { readonly face: Face | null; readonly scope: Scope; readonly nowMs: number },
): Promise<Search> {
  if (face === null) return nothingSearched;
  const current = index();
  if (current === null) throw notReady('the index of faces is being filled');
  const held = current.faces.find(face.record);
  const cells = held?.cellsOf(scope) ?? [];
  const gallerySize = held?.gallery.sizeOf(cells) ?? 0;
  const blockedSinceMs = blockedSince(deduplication, nowMs);
  const cutoffs = cutoffsFor(face.model, gallerySize);
  const { model, dimension } = face.record;
  const question = { model, dimension, gallerySize, ...cutoffs, rootSessionId, blockedSinceMs };
  const sizeWith: Search['sizeWith'] = (newer) => {
    const now = current.faces.find(face.record);
    const unheld = newer.filter((number) => now?.gallery.has(number) !== true).length;
    return (now?.gallery.sizeOf(now.cellsOf(scope)) ?? 0) + unheld;
  };
  const searched = { horizon: current.horizon, question, numbers: [], sizeWith };
  if (held === null || gallerySize === 0) return searched;
  const template = held.encode(face.direction);
  const end = metrics.faceSearch.startTimer();
  const { recent, earlier } = await searcher.search(held.gallery, {
    cells,
    template,
    likenessMin: cutoffs.near,
    likenessSure: cutoffs.same,
    sinceSeconds: Math.max(0, Math.floor(blockedSinceMs / 1_000)),
    bestMax: recentMax,
  });
  end();
  const numbers = [...recent, ...earlier].flatMap(({ slot }) => held.gallery.confirm(slot, template)?.number ?? []);
  return { ...searched, numbers };
}

async function compareFace(
  { store }: UniquenessDeps,
  tx: Queryable,
  searched: Omit<Search, 'question'> & { readonly face: Face; readonly scope: Scope; readonly question: FaceQuestion },
): Promise<BiometricComparison> {
  const { face, scope, horizon, question, numbers, sizeWith } = searched;
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

/** Full precision; nothing where the row’s embedding does not open. */
function likelyOf({ direction, model }: Face, fingerprint: Fingerprint): readonly Likely[] {
  const theirs = fingerprint.face === null ? null : directionOf(fingerprint.face.raw, model);
  return theirs instanceof Float32Array ? [{ fingerprint, similarity: dot(direction, theirs) }] : [];
}

/** Waits for the completions of the scope that are under way, and looks through what they left. */
async function holdAlone(
  { store }: UniquenessDeps,
  tx: Queryable,
  session: ComparedSession,
  seen: Seen,
): Promise<void> {
  const { face, scope, horizon, question } = seen;
  if (face === null || question === null) return;
  for (const name of locksOf(session)) await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
  const newer = await store.since(tx, scope, horizon, face.record, newerMax + 1);
  if (newer.length > newerMax) throw notReady('more participations came between than a completion looks through');
  const found = newer.flatMap((fingerprint) => likelyOf(face, fingerprint));
  if (isDuplicate(judgeFaces(question, found))) throw new ConcurrentDuplicateError();
}

function isDuplicate(biometric: JudgedFaces | null): boolean {
  return biometric?.match != null && biometric.match.similarity >= biometric.threshold;
}

function resultOf(biometric: BiometricComparison | null): string {
  if (biometric === null) return 'not_compared';
  if (isDuplicate(biometric)) return 'duplicate';
  return biometric.returning === null ? 'unique' : 'returning';
}

const notReady = (internal: string): Fault =>
  new Fault('OVERLOADED', 'Faces cannot be compared right now. Try again in a moment.', {
    headers: { 'retry-after': '2' },
    internal,
  });
