/**
 * Compares a session’s device with those of earlier participations: exactly by the token that the browser keeps, else by how alike its parts are.
 * Only keyed hashes are stored; a device is named by that of its token.
 */
import type { Envelope } from '../../contract/envelope.js';
import type { DeviceSketch, DuplicateCandidate } from '../../contract/facts.js';
import type { ProbeBody } from '../../contract/probe.js';
import type { DeviceComparison } from '../../contract/uniqueness.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { Pool } from '../../pool/pool.js';
import type { Queryable } from '../../stores/database/port.js';
import { inScope, scopeValues, type DeviceRecord, type Scope } from './fingerprint-store.js';

/** Least probability of a fuzzy match. Without a project’s own frequencies, only sketches that agree almost completely reach it. */
const fuzzyMin = 0.5;
const candidatesMax = 64;
const otherCollectorsMax = 1_024;

export type DeviceComparer = ReturnType<typeof createDeviceComparer>;

/** The last participation of the very device, and those of devices like it; null and none if too little of the device is known. */
export interface EarlierDevices {
  readonly sameSessionId: string | null;
  readonly alike: readonly AlikeRow[];
}

export interface DeviceQuery {
  readonly scope: Scope;
  readonly device: DeviceRecord;
  readonly rootSessionId: string;
  /** Participations before this time may be repeated. */
  readonly sinceMs: number;
}

const noMatch: DeviceComparison = { method: 'none', similarity: 0, matchedDeviceId: null, matchedSessionId: null };

const earlierOf = `f.status IN ('pass', 'review') AND f.root_session_id <> $4 AND f.completed_at >= $5 AND ${inScope}`;
const findSame = `SELECT f.session_id FROM fingerprints f WHERE f.device_ref = $6 AND ${earlierOf} ORDER BY f.completed_at DESC LIMIT 1`;
/**
 * By the rows of its bands, the newest of each: the work does not grow with the project. Where collectors are apart those of others are looked
 * through as well. Two things hold the planner to its indexes: a band is looked up as a range of one, so that it reckons with bands that many share and
 * reads the newest first, without a sort; and OFFSET 0 has what was met looked up by its number alone.
 */
const findAlike = `SELECT alike.* FROM (
    SELECT DISTINCT met.fingerprint_no
      FROM (SELECT md5(project || band)::uuid AS band_hash FROM unnest($1::text[]) AS project, unnest($6::text[]) AS band) AS own,
      LATERAL (SELECT b.fingerprint_no FROM fingerprint_bands b WHERE b.band_hash >= own.band_hash AND b.band_hash <= own.band_hash
                ORDER BY b.band_hash DESC, b.fingerprint_no DESC LIMIT CASE WHEN $2::boolean THEN ${otherCollectorsMax} ELSE ${candidatesMax} END) AS met
  ) AS near,
  LATERAL (SELECT f.session_id, f.device_ref, f.device_sketch, f.completed_at FROM fingerprints f
            WHERE f.fingerprint_no = near.fingerprint_no AND f.device_sketch IS NOT NULL AND ${earlierOf} OFFSET 0) AS alike
  ORDER BY alike.completed_at DESC LIMIT ${candidatesMax}`;

/** The name of a device, from the token that its browser keeps. */
export const deviceRefOf = (makeRef: MakeRef, organizationId: string, token: string): string =>
  `dev_${makeRef(organizationId, 'fingerprint:device', token)}`;

export function createDeviceComparer(pool: Pick<Pool, 'run'>, makeRef: MakeRef) {
  return {
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
    async find(tx: Queryable, { scope, device, rootSessionId, sinceMs }: DeviceQuery): Promise<EarlierDevices> {
      const { ref, sketch, bands } = device;
      const values = [...scopeValues(scope), rootSessionId, new Date(sinceMs)];
      const [same, alike] = await Promise.all([
        ref === null ? [] : tx.query<{ session_id: string }>(findSame, [...values, ref]),
        sketch === null || bands.length === 0 ? [] : tx.query<AlikeRow>(findAlike, [...values, bands]),
      ]);
      return { sameSessionId: same[0]?.session_id ?? null, alike };
    },
    /** Weighs what was found; no transaction needs to wait for that. */
    async judge(
      { ref, sketch }: DeviceRecord,
      { sameSessionId, alike }: EarlierDevices,
      nowMs: number,
    ): Promise<DeviceComparison> {
      if (sameSessionId !== null)
        return { method: 'exact', similarity: 1, matchedDeviceId: ref, matchedSessionId: sameSessionId };
      if (sketch === null || alike.length === 0) return noMatch;
      const { probabilities } = await pool.run({
        kind: 'likeness',
        own: sketch,
        candidates: alike.map(candidateOf),
        nowMs,
      });
      const best = probabilities.indexOf(Math.max(...probabilities));
      const similarity = probabilities[best] ?? 0;
      const row = alike[best];
      if (row === undefined || similarity < fuzzyMin) return noMatch;
      return { method: 'fuzzy', similarity, matchedDeviceId: row.device_ref, matchedSessionId: row.session_id };
    },
  };
}

type AlikeRow = {
  readonly session_id: string;
  readonly device_ref: string | null;
  readonly device_sketch: DeviceSketch;
  readonly completed_at: Date;
};

function candidateOf({ session_id, device_sketch, completed_at }: AlikeRow): DuplicateCandidate {
  const unknown = { respondent: null, device: null, prefix: null };
  return { ...unknown, session: session_id, atMs: completed_at.getTime(), sketch: device_sketch, via: 'similar' };
}
