/**
 * Compares a session’s device with those of earlier participations: exactly by the token that the browser keeps, else by how alike its parts are.
 * Only keyed hashes are stored; a device is named by that of its token.
 */
import type { Envelope } from '../../contract/envelope.js';
import type { DeviceSketch, DuplicateCandidate } from '../../contract/facts.js';
import type { ProbeBody } from '../../contract/probe.js';
import type { DeviceComparison, Participation } from '../../contract/uniqueness.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { Pool } from '../../pool/pool.js';
import type { Queryable } from '../../stores/database/port.js';
import { inScope, scopeValues, type DeviceRecord, type Scope } from './fingerprint-store.js';
import { participationColumns, participationOf, type ParticipationRow } from './identity-comparison.js';

/** Least probability of a fuzzy match. Without a project’s own frequencies, only sketches that agree almost completely reach it. */
const fuzzyMin = 0.5;
const candidatesMax = 64;
const otherScopesMax = 1_024;

export type DeviceComparer = ReturnType<typeof createDeviceComparer>;

/** A participation of the very device, and those of devices like it; null and none if too little of the device is known. */
export interface EarlierDevices {
  readonly same: SameDevice | null;
  readonly alike: readonly AlikeRow[];
}

type SameDevice = { readonly participation: Participation } & Pick<DeviceComparison, 'isFaceless'>;

export interface DeviceQuery {
  readonly scope: Scope;
  readonly device: DeviceRecord;
  /** The model of the face that is compared; null without one. */
  readonly model: string | null;
  readonly rootSessionId: string;
  /** Participations before this time may be repeated. */
  readonly sinceMs: number;
}

/** The match without its meaning, which the project decides. */
export type DeviceMatch = Omit<DeviceComparison, 'isDecisive'>;
const noMatch: DeviceMatch = { method: 'none', similarity: 0, matchedDeviceId: null, matched: null, isFaceless: false };

const earlierOf = `f.status IN ('pass', 'review') AND f.root_session_id <> $6 AND f.completed_at >= $7 AND ${inScope}`;
/** One without a face among the last of the device: whoever showed none may be anybody. */
const findSame = `SELECT own.* FROM (
    SELECT ${participationColumns}, f.model IS DISTINCT FROM $9 AS "isFaceless" FROM fingerprints f
     WHERE f.device_ref = $8 AND ${earlierOf} ORDER BY f.completed_at DESC LIMIT ${candidatesMax}) AS own
  ORDER BY own."isFaceless" DESC, own."completedAt" DESC LIMIT 1`;
/**
 * By the rows of its bands, the newest of each: the work does not grow with the project. If collectors or studies are apart those of others are looked
 * through as well. Two things hold the planner to its indexes: a band is looked up as a range of one, so that it reckons with bands that many share and
 * reads the newest first, without a sort; and OFFSET 0 has what was met looked up by its number alone.
 */
const findAlike = `SELECT alike.* FROM (
    SELECT DISTINCT met.fingerprint_no
      FROM (SELECT md5(project || band)::uuid AS band_hash FROM unnest($1::text[]) AS project, unnest($8::text[]) AS band) AS own,
      LATERAL (SELECT b.fingerprint_no FROM fingerprint_bands b WHERE b.band_hash >= own.band_hash AND b.band_hash <= own.band_hash
                ORDER BY b.band_hash DESC, b.fingerprint_no DESC LIMIT CASE WHEN $2::boolean OR $4::boolean THEN ${otherScopesMax} ELSE ${candidatesMax} END) AS met
  ) AS near,
  LATERAL (SELECT ${participationColumns}, f.device_ref, f.device_sketch FROM fingerprints f
            WHERE f.fingerprint_no = near.fingerprint_no AND f.device_sketch IS NOT NULL AND ${earlierOf} OFFSET 0) AS alike
  ORDER BY alike."completedAt" DESC LIMIT ${candidatesMax}`;

/** The name of a device, from the token that its browser keeps. */
export const deviceRefOf = (makeRef: MakeRef, organizationId: string, token: string): string =>
  `dev_${makeRef(organizationId, 'fingerprint:device', token)}`;

export function createDeviceComparer(pool: Pick<Pool, 'run'>, makeRef: MakeRef) {
  const weigh = async (own: DeviceSketch, candidates: DuplicateCandidate[], nowMs: number) =>
    (await pool.run({ kind: 'likeness', own, candidates, nowMs })).probabilities;
  return {
    /** Whether each of these sketches may be of the same device. */
    async areAlike(own: DeviceSketch, others: readonly DeviceSketch[], nowMs: number): Promise<readonly boolean[]> {
      if (others.length === 0) return [];
      const candidates = others.map((sketch, index) => ({ ...unnamed, session: String(index), atMs: nowMs, sketch }));
      return (await weigh(own, candidates, nowMs)).map((probability) => probability >= fuzzyMin);
    },
    /** A keyed hash of the camera’s name; null where there is none. */
    cameraRefOf(organizationId: string, { camera }: Envelope): string | null {
      return camera?.label == null || camera.label === ''
        ? null
        : makeRef(organizationId, 'fingerprint:camera', camera.label);
    },
    /** The part of the envelope’s device that is kept and compared; null if it describes none. */
    async describe(organizationId: string, { device, sdk, sessionId, nonce }: Envelope): Promise<DeviceRecord | null> {
      if (device === undefined) return null;
      const { token } = device.ids ?? {};
      const body: ProbeBody = {
        ...{ v: 1, sdk, projectKey: organizationId, sessionId, nonce, seq: 0, phase: 'load', at: 0, up: 0 },
        ...device,
      };
      const { sketch, bands } = await pool.run({ kind: 'sketch', body, userAgent: null });
      const ref = token == null || token === '' ? null : deviceRefOf(makeRef, organizationId, token);
      return ref === null && bands.length === 0 ? null : { ref, sketch, bands };
    },
    /** Reads the earlier participations that a device may be found among. */
    async find(tx: Queryable, { scope, device, model, rootSessionId, sinceMs }: DeviceQuery): Promise<EarlierDevices> {
      const { ref, sketch, bands } = device;
      const values = [...scopeValues(scope), rootSessionId, new Date(sinceMs)];
      const [same, alike] = await Promise.all([
        ref === null ? [] : tx.query<SameRow>(findSame, [...values, ref, model]),
        sketch === null || bands.length === 0 ? [] : tx.query<AlikeRow>(findAlike, [...values, bands]),
      ]);
      const [row] = same;
      const found = row === undefined ? null : { participation: participationOf(row), isFaceless: row.isFaceless };
      return { same: found, alike };
    },
    /** Weighs what was found; no transaction needs to wait for that. */
    async judge({ ref, sketch }: DeviceRecord, { same, alike }: EarlierDevices, nowMs: number): Promise<DeviceMatch> {
      if (same !== null) {
        const { participation: matched, isFaceless } = same;
        return { method: 'exact', similarity: 1, matchedDeviceId: ref, matched, isFaceless };
      }
      if (sketch === null || alike.length === 0) return noMatch;
      const probabilities = await weigh(sketch, alike.map(candidateOf), nowMs);
      const best = probabilities.indexOf(Math.max(...probabilities));
      const similarity = probabilities[best] ?? 0;
      const row = alike[best];
      if (row === undefined || similarity < fuzzyMin) return noMatch;
      return {
        ...noMatch,
        method: 'fuzzy',
        similarity,
        matchedDeviceId: row.device_ref,
        matched: participationOf(row),
      };
    },
  };
}

type SameRow = ParticipationRow & { readonly isFaceless: boolean };
type AlikeRow = ParticipationRow & { readonly device_ref: string | null; readonly device_sketch: DeviceSketch };

const unnamed = { respondent: null, device: null, prefix: null, via: 'similar' } as const;

function candidateOf(row: AlikeRow): DuplicateCandidate {
  return { ...unnamed, session: row.sessionId, atMs: row.completedAt.getTime(), sketch: row.device_sketch };
}
