/**
 * One human counts once: compares a session with earlier participants, and keeps what later ones are compared with.
 *
 *   compare:  face:  index (search thread) ──candidates──▶ rows of the database + rows newer than the index ──exact──▶ facts
 *             device, respondent:                           rows of the database ────────────────────────────────────▶ facts
 *   record:   lock ──▶ rows newer than what compare saw: the same person among them? ConcurrentDuplicateError : insert
 *
 * Erased, moved or tampered rows are never reported, however far an index lags. If one person completes twice at one moment, on whichever
 * instances, one is refused and finds the other when it is tried again.
 */
import type { SessionMode } from '../../contract/common.js';
import type { CameraPolicy, Envelope } from '../../contract/envelope.js';
import {
  nothingCompared,
  type BiometricComparison,
  type IdentityComparison,
  type UniquenessFacts,
} from '../../contract/uniqueness.js';
import type { StepUp } from '../../contract/step-up.js';
import { Fault } from '../../errors.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { inOrganization } from '../../stores/database/tenant.js';
import {
  blockedSince,
  deviceLockOf,
  locksOf,
  resolveScope,
  respondentLockOf,
  type Deduplicated,
} from './deduplication-scope.js';
import { compareTries, findTries, type Provenance } from './chain-comparison.js';
import type { DeviceComparer, DeviceQuery } from './device-comparison.js';
import {
  cameMeanwhile,
  compareFace,
  compareOwn,
  isDuplicate,
  readFace,
  searchFace,
  type Face,
  type FaceComparerDeps,
  type OwnFaces,
  type FaceSearch,
} from './face-comparison.js';
import {
  evidenceRankOf,
  type BiometricEvidence,
  type DeviceRecord,
  type FaceScope,
  type NewFingerprint,
  type OwnFacesQuery,
} from './fingerprint-store.js';
import type { FaceReuse, FaceReuseQuery, ReuseCount } from './face-reuse.js';
import { byWindow, findIdentity, type IdentityQuery } from './identity-comparison.js';

/** The session that is compared. */
export interface ComparedSession extends Deduplicated, CameraPolicy {
  readonly sessionId: string;
  /** First session of the chain of retries; a chain is nobody’s duplicate of itself. */
  readonly rootSessionId: string;
  readonly respondentId: string | null;
  readonly respondentTrusted: boolean;
  /** A step-up proves a person at the scored device and is no participation: it is nobody’s duplicate, and nobody is a duplicate of it. */
  readonly stepUp: StepUp | null;
  /** The country of its address; null: unknown. */
  readonly country: string | null;
  /** The source of the face: the page, or pictures that the service judged. */
  readonly evidence: BiometricEvidence;
  /** Those that are not live are compared with nobody, and nobody with them. */
  readonly mode: SessionMode;
}

export interface Completion {
  readonly completedAt: Date;
  readonly status: 'pass' | 'fail' | 'review';
  /** The evidence behind the verdict; null without a capture. */
  readonly evidence: BiometricEvidence | null;
}

/** Somebody whom `compare` could not see yet completed meanwhile, and is the same person: compare again, decide again. */
export class ConcurrentDuplicateError extends Fault {
  constructor() {
    super('OVERLOADED', 'The same person is completing another session right now. Try again in a moment.', {
      headers: { 'retry-after': '1' },
      internal: 'a participation of the same person was committed after the comparison',
    });
    this.name = 'ConcurrentDuplicateError';
  }
}

export interface UniquenessDeps extends FaceComparerDeps {
  readonly database: Database;
  readonly devices: DeviceComparer;
  readonly faceReuse: FaceReuse;
  readonly makeFingerprintId: () => string;
  readonly metrics: Pick<Metrics, 'faceComparisons' | 'faceSearch' | 'faceReuse'>;
}

export type Uniqueness = ReturnType<typeof createUniqueness>;

/** Values that a comparison took from an envelope and did not find yet, kept for the completion of the same envelope. */
interface Seen {
  readonly face: Face | null;
  readonly device: DeviceRecord | null;
  readonly provenance: Provenance;
  /** To be asked again at the completion; null where there is no face, or the person was found. */
  readonly search: FaceSearch | null;
  readonly identity: IdentityQuery | null;
  /** The same of a face that may prove a respondentId which only the page named. */
  readonly own: OwnFacesQuery | null;
  /** The same of a device that would decide, by its token alone. */
  readonly sameDevice: (DeviceQuery & { readonly device: { readonly ref: string } }) | null;
  /** Others with nearly this face, and how many were found. */
  readonly reuse: (FaceReuseQuery & ReuseCount) | null;
}

export function createUniqueness(deps: UniquenessDeps) {
  const seenOf = new WeakMap<Envelope, Seen>();

  return {
    /** Compares with earlier participants. Null in the answer is what there was nothing to compare of. */
    async compare(session: ComparedSession, envelope: Envelope, nowMs: number): Promise<UniquenessFacts> {
      if (session.mode !== 'live') return nothingCompared;
      const { facts, seen } = await lookUp(deps, session, envelope, nowMs);
      if (seen !== null) seenOf.set(envelope, seen);
      deps.metrics.faceComparisons.inc({ result: resultOf(facts.biometric) });
      deps.metrics.faceReuse.inc({ result: reuseResultOf(facts.otherRespondentsWithFace) });
      return facts;
    },

    /**
     * Keeps what later sessions are compared with, in the transaction that completes the session (of its organization), which `compare` has looked
     * at. Throws ConcurrentDuplicateError where the same person completed another session after `compare` looked; nothing is written then.
     */
    async record(
      tx: Queryable,
      session: ComparedSession,
      envelope: Envelope,
      { completedAt, status, evidence }: Completion,
    ): Promise<void> {
      if (session.mode !== 'live') return;
      // A failed one is no participation either, and retries are compared with it.
      if (session.stepUp !== null && status !== 'fail') return;
      const seen = seenOf.get(envelope);
      if (seen === undefined) return;
      if (status !== 'fail') await holdAlone(deps, tx, session, seen);
      const fingerprintId = deps.makeFingerprintId();
      await deps.store.insert(tx, fingerprintOf(session, seen, { fingerprintId, completedAt, status, evidence }));
    },
  };
}

/** seen: null where there is nothing to keep. */
async function lookUp(
  deps: UniquenessDeps,
  session: ComparedSession,
  envelope: Envelope,
  nowMs: number,
): Promise<{ readonly facts: UniquenessFacts; readonly seen: Seen | null }> {
  const { database, devices, faceReuse } = deps;
  const { organizationId, rootSessionId, respondentId, respondentTrusted, deduplication, evidence } = session;
  const read = readFace(deps, session, envelope);
  const isFaceRefused = read === 'refused';
  const face = read === 'refused' ? null : read;
  const device = await devices.describe(organizationId, envelope);
  const provenance = { country: session.country, cameraRef: devices.cameraRefOf(organizationId, envelope) };
  const isRetry = session.sessionId !== rootSessionId;
  const isNobody = face === null && device === null && respondentId === null && !isRetry;
  if (isNobody) return { facts: { ...nothingCompared, isFaceRefused }, seen: null };
  const inTenant = <T>(work: (tx: Queryable) => Promise<T>) => inOrganization(database, organizationId, work);
  const evidenceRankMin = evidenceRankOf(evidence, respondentTrusted);
  const scope: FaceScope = { ...(await resolveScope(inTenant, session)), evidenceRankMin };
  const isParticipation = session.stepUp === null;
  const search =
    face?.isForAll !== true || !isParticipation ? null : await searchFace(deps, session, { face, scope, nowMs });
  const sinceMs = Math.max(0, blockedSince(deduplication, nowMs));
  const deviceRef = device?.ref ?? null;
  const model = face?.record.model ?? null;
  const query =
    respondentId === null || !isParticipation
      ? null
      : { scope, respondentId, respondentTrusted, deviceRef, rootSessionId, sinceMs };
  const reuse = faceReuse.queryOf(session, face, evidenceRankMin, nowMs);
  const ofPerson = { scope, sessionId: session.sessionId, rootSessionId, respondentId };
  const [own, biometric, found, named, tries, reused] = await inTenant((tx) =>
    Promise.all([
      face === null || !hasEarlier(session) ? null : compareOwn(deps, tx, face, ofPerson),
      search === null ? null : compareFace(deps, tx, search),
      device === null || !isParticipation ? null : devices.find(tx, { scope, device, model, rootSessionId, sinceMs }),
      query === null ? null : findIdentity(tx, query),
      isRetry ? findTries(tx, rootSessionId, session.sessionId) : [],
      reuse === null ? null : faceReuse.count(tx, reuse),
    ]),
  );
  const identity = withFace(named, own, sinceMs);
  const likeness = device === null || found === null ? null : await devices.judge(device, found, nowMs);
  const current = { ref: deviceRef, sketch: device?.sketch ?? null, ...provenance };
  const chain = await compareTries(current, tries, (sketch, others) => devices.areAlike(sketch, others, nowMs));
  const isDecisive = deduplication.device === 'fail';
  const isOpen = search !== null && biometric !== null && !isDuplicate(biometric);
  const seen: Seen = {
    ...{ face, device, provenance },
    search: isOpen ? { ...search, question: { ...search.question, same: biometric.threshold } } : null,
    identity: identity?.match == null ? query : null,
    own: face === null || respondentTrusted ? null : ofPerson,
    sameDevice: isDecisive && likeness?.method !== 'exact' ? sameDeviceOf(scope, deviceRef, session, sinceMs) : null,
    reuse: reuse === null || reused === null ? null : { ...reuse, ...reused },
  };
  const deviceMatch = likeness === null ? null : { ...likeness, isDecisive };
  const isFaceChanged = own?.isOther === true;
  const otherRespondentsWithFace = reused?.others ?? null;
  if (reused?.isCrowded === true) deps.metrics.faceReuse.inc({ result: 'crowded' });
  const isFaceNoted = respondentTrusted && deduplication.face === 'note';
  const compared = { biometric, device: deviceMatch, identity, chain, isFaceNoted };
  return { facts: { ...compared, isFaceRefused, isFaceChanged, otherRespondentsWithFace }, seen };
}

function fingerprintOf(
  session: ComparedSession,
  { face, device, provenance, reuse }: Seen,
  { fingerprintId, completedAt, status, evidence }: Completion & { readonly fingerprintId: string },
): NewFingerprint {
  const { organizationId, projectId, sessionId, rootSessionId, respondentId, respondentTrusted } = session;
  const { studyId, dataCollector } = session;
  return {
    ...{ organizationId, projectId, sessionId, rootSessionId, respondentId, respondentTrusted, studyId, dataCollector },
    ...{ fingerprintId, evidence, status },
    completedAtMs: completedAt.getTime(),
    face: face?.record ?? null,
    device: device ?? { ref: null, sketch: null, bands: [] },
    provenance,
    bands: status === 'fail' ? null : (reuse?.bands ?? null),
  };
}

const sameDeviceOf = (
  scope: FaceScope,
  ref: string | null,
  { rootSessionId }: ComparedSession,
  sinceMs: number,
): Seen['sameDevice'] =>
  ref === null ? null : { scope, device: { ref, sketch: null, bands: [] }, model: null, rootSessionId, sinceMs };

/** Whether there may be a face of the same person: of an earlier try, or of the respondent. */
const hasEarlier = ({ sessionId, rootSessionId, respondentId }: ComparedSession): boolean =>
  sessionId !== rootSessionId || respondentId !== null;

/** A respondentId that a page named is proven by the face that took part under it. */
function withFace(
  identity: IdentityComparison | null,
  own: OwnFaces | null,
  sinceMs: number,
): IdentityComparison | null {
  const participation = own?.participation ?? null;
  if (identity === null || participation === null || (identity.match ?? identity.returning) !== null) return identity;
  return { ...byWindow(participation, sinceMs), isClaimed: false };
}

/** Waits for the completions of the scope, of the respondent and of the device that are under way, and looks through what they left. */
async function holdAlone(
  deps: UniquenessDeps,
  tx: Queryable,
  session: ComparedSession,
  { face, search, identity, own, sameDevice, reuse }: Seen,
): Promise<void> {
  const isProvable = identity !== null && (identity.respondentTrusted || identity.deviceRef !== null || own !== null);
  const locks = [
    ...(search === null ? [] : locksOf(session)),
    ...(isProvable ? [respondentLockOf(session, identity.respondentId)] : []),
    ...(sameDevice === null ? [] : [deviceLockOf(session, sameDevice.device.ref)]),
  ];
  for (const name of locks) await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
  if (search !== null && (await cameMeanwhile(deps, tx, search))) throw new ConcurrentDuplicateError();
  if (isProvable) {
    const faces = face === null || own === null ? null : await compareOwn(deps, tx, face, own);
    const found = withFace(await findIdentity(tx, identity), faces, identity.sinceMs);
    if (found?.match != null) throw new ConcurrentDuplicateError();
  }
  if (sameDevice !== null && (await deps.devices.find(tx, sameDevice)).same !== null)
    throw new ConcurrentDuplicateError();
  if (reuse === null) return;
  await deps.faceReuse.hold(tx, reuse);
  if ((await deps.faceReuse.count(tx, reuse)).others > reuse.others) throw new ConcurrentDuplicateError();
}

function reuseResultOf(others: number | null): string {
  if (others === null) return 'not_compared';
  return others === 0 ? 'new' : 'reused';
}

function resultOf(biometric: BiometricComparison | null): string {
  if (biometric === null) return 'not_compared';
  if (isDuplicate(biometric)) return 'duplicate';
  return biometric.returning === null ? 'unique' : 'returning';
}
