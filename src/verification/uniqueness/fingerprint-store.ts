/**
 * Fingerprints in the database. The embedding of a row is sealed for that row alone: moved to another, or changed by a byte, it does not open.
 * A row that does not open is skipped and reported, and never stops the reader.
 */
import type { DeviceSketch } from '../../contract/facts.js';
import { createSealer, type Sealer, type SealingKeys } from '../../crypto/sealing.js';
import type { Queryable } from '../../stores/database/port.js';
import { readHorizon } from '../../stores/database/server.js';
import type { Provenance } from './chain-comparison.js';
import { bytesOf, rawOf, type RawEmbedding } from './embedding.js';

export interface FaceRecord {
  readonly model: string;
  readonly dimension: number;
  readonly raw: RawEmbedding;
}

/** claimed: the page alone says that the camera saw this face. seen: the service judged frames of it. */
export type BiometricEvidence = 'claimed' | 'seen';
/** The effort to forge a face: 0 a page alone, 1 a respondent that a backend named, 2 pictures that the service judged, 3 both. */
export type EvidenceRank = 0 | 1 | 2 | 3;

export function evidenceRankOf(evidence: BiometricEvidence | null, respondentTrusted: boolean): EvidenceRank {
  if (evidence === 'seen') return respondentTrusted ? 3 : 2;
  return respondentTrusted ? 1 : 0;
}

export interface DeviceRecord {
  readonly ref: string | null;
  readonly sketch: DeviceSketch | null;
  readonly bands: readonly string[];
}

export interface Fingerprint {
  readonly number: number;
  readonly fingerprintId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly sessionId: string;
  readonly rootSessionId: string;
  readonly respondentId: string | null;
  readonly studyId: string | null;
  readonly dataCollector: string | null;
  readonly completedAtMs: number;
  /** More than a page named the respondent. */
  readonly respondentTrusted: boolean;
  readonly evidenceRank: EvidenceRank;
  /** null where there is none, or where it does not open. */
  readonly face: FaceRecord | null;
}

/** Keyed hashes that a face is found by for 24 hours, and whose face it is. */
export const bandCount = 20;
export interface FaceBands {
  /** Signed 64-bit integers, in the order of their planes. */
  readonly hashes: readonly string[];
  /** A keyed hash. */
  readonly person: string;
}

export interface BandQuery {
  readonly bands: FaceBands;
  readonly organizationId: string;
  readonly rootSessionId: string;
  readonly evidenceRankMin: EvidenceRank;
  readonly sinceMs: number;
}

export interface NewFingerprint extends Omit<Fingerprint, 'number' | 'evidenceRank'> {
  readonly status: 'pass' | 'fail' | 'review';
  readonly evidence: BiometricEvidence | null;
  readonly device: DeviceRecord;
  readonly provenance: Provenance;
  /** null where later faces are not to find this one. */
  readonly bands: FaceBands | null;
}

/** Fingerprints that a session is compared with. */
export interface Scope {
  readonly organizationId: string;
  readonly projectIds: readonly string[];
  /** undefined: all studies, or all collectors, alike; null: sessions without one. */
  readonly studyId: string | null | undefined;
  readonly dataCollector: string | null | undefined;
}

interface FingerprintRow extends Omit<Fingerprint, 'completedAtMs' | 'face'> {
  readonly completedAt: Date;
  readonly model: string | null;
  readonly dimension: number | null;
  readonly sealed: Uint8Array | null;
  readonly [column: string]: unknown;
}

/** Whose faces: a face on weaker evidence than its own makes nobody a duplicate. */
export interface FaceScope extends Scope {
  readonly evidenceRankMin: EvidenceRank;
}

export type FingerprintStore = ReturnType<typeof createFingerprintStore>;

export interface ModelName {
  readonly model: string;
  readonly dimension: number;
}

export interface FingerprintChanges {
  readonly horizon: string;
  readonly changes: readonly { readonly change: number; readonly number: number; readonly found: Fingerprint | null }[];
}

const rank = `CASE WHEN f.evidence = 'seen' THEN 2 ELSE 0 END + CASE WHEN f.respondent_trusted THEN 1 ELSE 0 END`;
const columns = `f.fingerprint_no AS number, f.fingerprint_id AS "fingerprintId", f.organization_id AS "organizationId",
  f.project_id AS "projectId", f.session_id AS "sessionId", f.root_session_id AS "rootSessionId", f.respondent_id AS "respondentId",
  f.study_id AS "studyId", f.data_collector AS "dataCollector", f.completed_at AS "completedAt", f.model, f.dimension, f.sealed, f.respondent_trusted AS "respondentTrusted", (${rank}) AS "evidenceRank"`;
/** A session that failed is no participation; who failed and tries again is nobody’s duplicate. */
const isParticipation = `f.status IN ('pass', 'review') AND f.sealed IS NOT NULL`;
/** Restricts fingerprints f: $1 their projects, $2 whether collectors are apart, $3 the collector, $4 whether studies are apart, $5 the study. */
export const inScope = `f.project_id = ANY($1) AND (NOT $2::boolean OR f.data_collector IS NOT DISTINCT FROM $3)
  AND (NOT $4::boolean OR f.study_id IS NOT DISTINCT FROM $5)`;

export const scopeValues = ({ projectIds, studyId, dataCollector }: Scope) =>
  [projectIds, dataCollector !== undefined, dataCollector ?? null, studyId !== undefined, studyId ?? null] as const;

/** The same of faces, with $6 their least rank. */
const faceInScope = `${inScope} AND (${rank}) >= $6`;
const faceScopeValues = (scope: FaceScope) => [...scopeValues(scope), scope.evidenceRankMin] as const;

export interface FingerprintStoreDeps {
  readonly database: Queryable;
  readonly masterKeys: SealingKeys;
  /** Called for each embedding that does not open. */
  readonly onUnreadable: (fingerprintId: string) => void;
}

export function createFingerprintStore(deps: FingerprintStoreDeps) {
  const sealer = createSealer(deps.masterKeys, 'embeddings');
  const read = createReader(sealer, deps.onUnreadable);
  return { ...scopedReads(read), ...indexReads(deps.database, read), insert: createInsert(sealer) };
}

type Read = (row: FingerprintRow) => Fingerprint;

function createReader(sealer: Sealer, onUnreadable: (fingerprintId: string) => void): Read {
  function readFace({ fingerprintId, projectId, model, dimension, sealed }: FingerprintRow): FaceRecord | null {
    if (sealed === null || model === null || dimension === null) return null;
    try {
      const raw = rawOf(sealer.unseal(sealed, contextOf(fingerprintId, projectId, model, dimension)));
      if (raw.length === dimension) return { model, dimension, raw };
    } catch {
      // Said below, without what the cipher had to say of it.
    }
    onUnreadable(fingerprintId);
    return null;
  }
  return (row) => {
    const { number, fingerprintId, organizationId, projectId, sessionId, rootSessionId, respondentId } = row;
    const { studyId, dataCollector, respondentTrusted, evidenceRank } = row;
    return {
      ...{ number, fingerprintId, organizationId, projectId, sessionId, rootSessionId, respondentId },
      ...{ studyId, dataCollector, respondentTrusted, evidenceRank },
      completedAtMs: row.completedAt.getTime(),
      face: readFace(row),
    };
  };
}

const createInsert =
  (sealer: Sealer) =>
  async (tx: Queryable, { face, device, provenance, bands, ...of }: NewFingerprint): Promise<void> => {
    const sealed =
      face === null
        ? null
        : sealer.seal(bytesOf(face.raw), contextOf(of.fingerprintId, of.projectId, face.model, face.dimension));
    await tx.query(
      `WITH kept AS (INSERT INTO fingerprints AS f (fingerprint_id, organization_id, project_id, session_id, root_session_id, respondent_id, data_collector,
         status, completed_at, model, dimension, sealed, device_ref, device_sketch, device_bands, respondent_trusted, study_id, evidence, country, camera_ref)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::jsonb, $15, $16, $17, $18, $19, $20)
         RETURNING organization_id, fingerprint_no, completed_at, (${rank}) AS evidence_rank)
       INSERT INTO recent_faces (fingerprint_no, organization_id, person, evidence_rank, completed_at, bands)
       SELECT fingerprint_no, organization_id, $22, evidence_rank, completed_at, $21::bigint[] FROM kept WHERE $21 IS NOT NULL`,
      [
        ...[of.fingerprintId, of.organizationId, of.projectId, of.sessionId, of.rootSessionId, of.respondentId],
        ...[of.dataCollector, of.status, new Date(of.completedAtMs)],
        ...[face?.model ?? null, face?.dimension ?? null, sealed],
        ...[device.ref, device.sketch === null ? null : JSON.stringify(device.sketch), device.bands],
        ...[of.respondentTrusted, of.studyId, face === null ? null : (of.evidence ?? 'claimed')],
        ...[provenance.country, provenance.cameraRef],
        ...[bands?.hashes ?? null, bands?.person ?? null],
      ],
    );
  };

/** Whose faces one face is compared with, one by one. */
export interface OwnFacesQuery {
  readonly scope: FaceScope;
  readonly sessionId: string;
  readonly rootSessionId: string;
  readonly respondentId: string | null;
}

const ownFacesMax = 5;

/** Faces of a band that are looked at, the newest; and those of all bands, whichever share most, that are unsealed. */
const bandFacesMax = 512;
const sharingMax = 64;
/** The most faces of one person among them: a person who passes again and again hides nobody. */
const sharingOfPersonMax = 4;
/** A band is looked up as a range of one, so that the planner reads the newest first, without a sort (device-comparison.ts). */
const findMet = Array.from({ length: bandCount }, (_, index) => {
  const band = `bands[${index + 1}]`;
  return `(SELECT ${index} AS band, fingerprint_no, person, evidence_rank FROM recent_faces
      WHERE ${band} >= ($1::bigint[])[${index + 1}] AND ${band} <= ($1::bigint[])[${index + 1}] ORDER BY ${band} DESC, fingerprint_no DESC LIMIT ${bandFacesMax})`;
}).join(' UNION ALL ');
const findSharing = `WITH met AS MATERIALIZED (${findMet}),
  sharing AS (
    SELECT fingerprint_no, person FROM (
      SELECT fingerprint_no, person, count(*) AS shared, row_number() OVER (PARTITION BY person ORDER BY count(*) DESC, fingerprint_no DESC) AS place
      FROM met WHERE person <> $2 AND evidence_rank >= $6 GROUP BY fingerprint_no, person) AS of_persons
    WHERE place <= ${sharingOfPersonMax} ORDER BY shared DESC, fingerprint_no DESC LIMIT ${sharingMax})
  SELECT found.*, EXISTS (SELECT FROM met GROUP BY band HAVING count(*) = ${bandFacesMax}) AS "isCrowded"
  FROM (SELECT 1) AS always
  LEFT JOIN (SELECT sharing.person, f.* FROM sharing, LATERAL (SELECT ${columns} FROM fingerprints f
      WHERE f.fingerprint_no = sharing.fingerprint_no AND f.organization_id = $3 AND f.root_session_id <> $4
        AND f.completed_at >= $5 AND ${isParticipation} OFFSET 0) AS f) AS found ON true`;

type SharingRow = FingerprintRow & { readonly person: string | null; readonly isCrowded: boolean };

export interface Sharing {
  readonly found: readonly { readonly person: string; readonly fingerprint: Fingerprint }[];
  /** Whether a band had more faces than are looked at. */
  readonly isCrowded: boolean;
}

/** Reads for one comparison, in a transaction of its organization. */
const scopedReads = (read: Read) => ({
  /**
   * Faces of the same person: the latest participations of the respondent whom more than a page named, the earliest tries of the chain, and then
   * participations of one whom a page named.
   */
  async ofPerson(tx: Queryable, { scope, sessionId, rootSessionId, respondentId }: OwnFacesQuery, name: ModelName) {
    const rows = await tx.query<FingerprintRow>(
      `SELECT ${columns} FROM fingerprints f
       WHERE f.model = $7 AND f.dimension = $8 AND f.session_id <> $9
         AND (f.root_session_id = $10 OR (f.respondent_id = $11 AND ${isParticipation} AND ${faceInScope}))
       ORDER BY CASE WHEN f.root_session_id = $10 THEN 1 WHEN f.respondent_trusted THEN 0 ELSE 2 END,
         CASE WHEN f.root_session_id = $10 THEN f.completed_at END, f.completed_at DESC LIMIT ${ownFacesMax}`,
      [
        ...scopeValues(scope),
        Math.max(1, scope.evidenceRankMin),
        name.model,
        name.dimension,
        sessionId,
        rootSessionId,
        respondentId,
      ],
    );
    return rows.map(read);
  },
  /** Faces of other people, in any project of the organization, that share bands with one. */
  async sharingBands(
    tx: Queryable,
    { bands, organizationId, rootSessionId, evidenceRankMin, sinceMs }: BandQuery,
  ): Promise<Sharing> {
    const rows = await tx.query<SharingRow>(
      findSharing,
      [bands.hashes, bands.person, organizationId, rootSessionId, new Date(sinceMs), evidenceRankMin],
      { recurring: true },
    );
    const found = rows.flatMap((row) => (row.person === null ? [] : [{ person: row.person, fingerprint: read(row) }]));
    return { found, isCrowded: rows[0]?.isCrowded === true };
  },
  /** Those of these numbers that are in the scope, with faces of this model. */
  async byNumbers(tx: Queryable, scope: FaceScope, numbers: readonly number[], { model, dimension }: ModelName) {
    if (numbers.length === 0) return [];
    const rows = await tx.query<FingerprintRow>(
      `SELECT ${columns} FROM fingerprints f
       WHERE ${faceInScope} AND f.fingerprint_no = ANY($7::bigint[]) AND f.model = $8 AND f.dimension = $9 AND ${isParticipation}`,
      [...faceScopeValues(scope), numbers, model, dimension],
    );
    return rows.map(read);
  },
  /** Those of the scope that a transaction from `horizon` on wrote: what an index may not know yet. */
  async since(tx: Queryable, scope: FaceScope, horizon: string, { model, dimension }: ModelName, limit: number) {
    const rows = await tx.query<FingerprintRow>(
      `SELECT ${columns} FROM fingerprints f
       WHERE f.fingerprint_no IN (SELECT c.fingerprint_no FROM fingerprint_changes c WHERE c.transaction >= $7::xid8 AND c.project_id = ANY($1))
         AND ${faceInScope} AND f.model = $8 AND f.dimension = $9 AND ${isParticipation}
       LIMIT $10`,
      [...faceScopeValues(scope), horizon, model, dimension, limit],
    );
    return rows.map(read);
  },
  /** Whether anybody of the scope, other than the chain itself, took part with a face of this model since `sinceMs`. */
  async hasRecent(
    tx: Queryable,
    scope: FaceScope,
    { model, dimension }: ModelName,
    rootSessionId: string,
    sinceMs: number,
  ) {
    const rows = await tx.query(
      `SELECT 1 FROM fingerprints f
       WHERE ${faceInScope} AND f.completed_at >= $7 AND f.model = $8 AND f.dimension = $9 AND f.root_session_id <> $10 AND ${isParticipation} LIMIT 1`,
      [...faceScopeValues(scope), new Date(sinceMs), model, dimension, rootSessionId],
    );
    return rows.length > 0;
  },
});

/** The index is filled from these reads and follows them, for all organizations. */
const indexReads = (database: Queryable, read: Read) => ({
  /** Participations after `after`, by number: what an index is filled from. */
  async page(after: number, limit: number): Promise<readonly Fingerprint[]> {
    const rows = await database.query<FingerprintRow>(
      `SELECT ${columns} FROM fingerprints f WHERE f.fingerprint_no > $1 AND ${isParticipation} ORDER BY f.fingerprint_no LIMIT $2`,
      [after, limit],
    );
    return rows.map(read);
  },
  /** Changes after `after` by transactions from `horizon` on; `found` is null where the fingerprint counts no longer. */
  async changes(horizon: string, after: number, limit: number): Promise<FingerprintChanges> {
    const rows = await database.query<FingerprintRow & { change_no: number | null; changed: number; next: string }>(
      `SELECT c.change_no, c.fingerprint_no AS changed, pg_snapshot_xmin(pg_current_snapshot())::text AS next, ${columns}
       FROM (SELECT 1) AS always
       LEFT JOIN (SELECT * FROM fingerprint_changes WHERE transaction >= $1::xid8 AND change_no > $2 ORDER BY change_no LIMIT $3) c ON true
       LEFT JOIN fingerprints f ON f.fingerprint_no = c.fingerprint_no AND ${isParticipation}
       ORDER BY c.change_no`,
      [horizon, after, limit],
    );
    const changes = rows.flatMap((row) => {
      if (row.change_no === null) return [];
      // In the outer join, a fingerprint that counts no longer has an empty row.
      const isThere = (row.number as number | null) !== null;
      return [{ change: row.change_no, number: row.changed, found: isThere ? read(row) : null }];
    });
    return { horizon: rows[0]?.next ?? horizon, changes };
  },
  /** The oldest transaction that is still open; all before it can be seen. */
  horizon: (): Promise<string> => readHorizon(database),
  async trimChanges(keepMinutes: number): Promise<void> {
    await database.query('DELETE FROM fingerprint_changes WHERE changed_at < now() - make_interval(mins => $1)', [
      keepMinutes,
    ]);
  },
});

/** Whether a completed session was on this device. */
export async function wasOnDevice(
  database: Queryable,
  { projectId, sessionId }: { readonly projectId: string; readonly sessionId: string },
  deviceRef: string,
): Promise<boolean> {
  const rows = await database.query(
    'SELECT 1 FROM fingerprints WHERE project_id = $1 AND session_id = $2 AND device_ref = $3',
    [projectId, sessionId, deviceRef],
  );
  return rows.length > 0;
}

/** Fingerprints of sessions: $1 the organization, $2 their ids. */
export const ofSessions = 'organization_id = $1 AND session_id = ANY($2::text[])';

/** Erases what is kept of sessions; answers how many records. Facts follow at once, indexes within their polling interval. */
export async function eraseFingerprints(
  tx: Queryable,
  organizationId: string,
  sessionIds: readonly string[],
): Promise<number> {
  const erased = await tx.query(`DELETE FROM fingerprints WHERE ${ofSessions} RETURNING 1`, [
    organizationId,
    sessionIds,
  ]);
  return erased.length;
}

function contextOf(fingerprintId: string, projectId: string, model: string, dimension: number): Uint8Array {
  return Buffer.from(JSON.stringify(['fingerprint', fingerprintId, projectId, model, dimension]));
}
