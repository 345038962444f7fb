/**
 * Looks for other respondents of the organization who passed with nearly the same face in the last 24 hours, in whichever project: one photograph before
 * the camera, again and again. It needs no gallery.
 *
 *   face ──▶ 20 bands of 14 bits, each a keyed hash ──▶ the newest 512 faces of each band ──▶ the 64 that share most ──▶ unsealed, compared in full
 *
 * A band is on which side of 14 secret planes a face lies; faces that are nearly identical share some. So a look costs the same however many faces a
 * day has, and the others found are looked for in turn until three are known. Only a band with more than 512 faces drops any, the oldest first, and
 * vh_face_reuse_total{result="crowded"} counts it. Two completions of one face at one moment wait for each other: the second is judged again, with
 * the first known.
 */
import { createHash } from 'node:crypto';
import type { MakeRef } from '../../crypto/master-key.js';
import { dayMs } from '../../kernel/calendar-day.js';
import type { Queryable } from '../../stores/database/port.js';
import {
  dropOverAge,
  startRetentionRounds,
  type RetentionRounds,
  type RoundsDeps,
} from '../../stores/database/retention.js';
import type { Deduplicated } from './deduplication-scope.js';
import { directionOf, dot } from './embedding.js';
import type { Face } from './face-comparison.js';
import type { FaceModel } from './face-models.js';
import {
  bandCount,
  type BandQuery,
  type FaceBands,
  type Fingerprint,
  type FingerprintStore,
} from './fingerprint-store.js';
import { reuseCutoff } from './reuse-cutoff.js';

export const recentFaceLifetime = { table: 'recent_faces', column: 'completed_at', keepDays: 1 } as const;
const bandBits = 14;
/** More respondents than this change nothing. */
export const othersMax = 3;

export interface FaceReuseDeps {
  readonly store: Pick<FingerprintStore, 'sharingBands'>;
  readonly makeRef: MakeRef;
}

interface ReusingSession extends Omit<Deduplicated, 'dataCollector'> {
  readonly rootSessionId: string;
  readonly respondentId: string | null;
}

/** The query; repeated at the completion of the session. */
export interface FaceReuseQuery extends BandQuery, Pick<Deduplicated, 'projectId' | 'studyId'> {
  readonly face: Face;
}

export interface ReuseCount {
  /** Other respondents, counted up to three. */
  readonly others: number;
  /** Some of the oldest were not looked at. */
  readonly isCrowded: boolean;
  /** The bands of the face and of the others. */
  readonly hashes: FaceBands['hashes'];
}

export type FaceReuse = ReturnType<typeof createFaceReuse>;

export function createFaceReuse({ store, makeRef }: FaceReuseDeps) {
  const planesOf = createPlanes(makeRef);
  const cutoffs = new WeakMap<FaceModel, number>();
  const cutoffOf = (model: FaceModel): number => {
    const cutoff = cutoffs.get(model) ?? reuseCutoff(model);
    cutoffs.set(model, cutoff);
    return cutoff;
  };

  function bandsOf(organizationId: string, { record: { model, dimension }, direction }: Face): readonly string[] {
    const planes = planesOf(dimension);
    return Array.from({ length: bandCount }, (_, band) => {
      const sides = planes
        .slice(band * bandBits, (band + 1) * bandBits)
        .map((plane) => Number(dot(plane, direction) > 0));
      const ref = makeRef(organizationId, 'fingerprint:face-band', [model, dimension, band, sides.join('')].join('\n'));
      return BigInt.asIntN(64, BigInt(`0x${ref}`)).toString();
    });
  }

  return {
    /** null where the project does not look, or there is no face. */
    queryOf(
      session: ReusingSession,
      face: Face | null,
      evidenceRankMin: BandQuery['evidenceRankMin'],
      nowMs: number,
    ): FaceReuseQuery | null {
      if (face === null || session.deduplication.faceReuse === 'off') return null;
      const { organizationId, projectId, studyId, rootSessionId } = session;
      const person = personOf(makeRef, session);
      const bands = { person, hashes: bandsOf(organizationId, face) };
      return {
        face,
        bands,
        organizationId,
        projectId,
        studyId,
        rootSessionId,
        evidenceRankMin,
        sinceMs: nowMs - recentFaceLifetime.keepDays * dayMs,
      };
    },

    /** Captures of one photograph vary: who is nearly identical to one of the others counts too. */
    async count(tx: Queryable, query: FaceReuseQuery): Promise<ReuseCount> {
      const alike: Alike[] = [{ ...query.bands, direction: query.face.direction }];
      let isCrowded = false;
      for (const { hashes, direction } of alike) {
        if (alike.length > othersMax) break;
        const sharing = await store.sharingBands(tx, { ...query, bands: { ...query.bands, hashes } });
        isCrowded ||= sharing.isCrowded;
        for (const { person, fingerprint } of sharing.found) {
          const other = directionIn(fingerprint, query);
          const isNear = other !== null && dot(direction, other) >= cutoffOf(query.face.model);
          if (!isNear || alike.some((each) => each.person === person)) continue;
          const face = { ...query.face, direction: other };
          alike.push({ person, direction: other, hashes: bandsOf(query.organizationId, face) });
        }
      }
      const hashes = [...new Set(alike.flatMap((each) => each.hashes))];
      return { others: Math.min(othersMax, alike.length - 1), isCrowded, hashes };
    },

    /** Waits for completions of faces that share a band of `hashes`, until the transaction ends. Sorted, so that no two wait for each other. */
    async hold(tx: Queryable, { hashes }: Pick<ReuseCount, 'hashes'>): Promise<void> {
      await tx.query('SELECT pg_advisory_xact_lock(band) FROM unnest($1::bigint[]) AS band', [hashes.toSorted()]);
    },
  };
}

interface Alike extends FaceBands {
  readonly direction: Float32Array;
}

/** The direction of an earlier face; null where it is not to be compared with that of the query. */
function directionIn(fingerprint: Fingerprint, query: FaceReuseQuery): Float32Array | null {
  const { record, model } = query.face;
  const { face } = fingerprint;
  if (face?.model !== record.model || face.dimension !== record.dimension || isElsewhere(fingerprint, query))
    return null;
  const direction = directionOf(face.raw, model);
  return direction instanceof Float32Array ? direction : null;
}

/** The identity that a session counts as. A person who passes repeatedly under one id, even an id from a page, is one respondent to callers who count ids. */
function personOf(makeRef: MakeRef, session: ReusingSession): FaceBands['person'] {
  const { organizationId, respondentId, rootSessionId } = session;
  const name = respondentId === null ? `chain\n${rootSessionId}` : `respondent\n${respondentId}`;
  return makeRef(organizationId, 'fingerprint:person', name);
}

/** People without an id take part in several studies a day: sessions without one count within their project and study alone. */
const isElsewhere = (fingerprint: Fingerprint, { projectId, studyId }: FaceReuseQuery): boolean =>
  fingerprint.respondentId === null && (fingerprint.projectId !== projectId || fingerprint.studyId !== studyId);

/** Signs of the planes of each dimension, the same in every instance. Nobody outside knows them, so nobody can make a face that shares no band. */
function createPlanes(makeRef: MakeRef): (dimension: number) => readonly Float32Array[] {
  const known = new Map<number, readonly Float32Array[]>();
  return (dimension) => {
    const planes =
      known.get(dimension) ?? makePlanes(makeRef('', 'fingerprint:face-planes', String(dimension)), dimension);
    known.set(dimension, planes);
    return planes;
  };
}

function makePlanes(seed: string, dimension: number): readonly Float32Array[] {
  const count = bandCount * bandBits;
  const bytes = createHash('shake256', { outputLength: Math.ceil((count * dimension) / 8) })
    .update(seed)
    .digest();
  const signOf = (bit: number): number => (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) * 2 - 1;
  return Array.from({ length: count }, (_, plane) =>
    Float32Array.from({ length: dimension }, (__, index) => signOf(plane * dimension + index)),
  );
}

export function startRecentFaceRetention(deps: RoundsDeps): RetentionRounds {
  return startRetentionRounds({
    ...deps,
    what: 'recent faces',
    drop: (nowMs, isStopping) => dropOverAge(deps.database, recentFaceLifetime, nowMs, isStopping),
  });
}
