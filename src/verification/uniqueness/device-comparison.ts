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

/** Least probability that is told as a fuzzy match. Without a project’s own frequencies only sketches that agree nearly throughout reach it. */
const fuzzyMin = 0.5;
const candidatesMax = 64;

export interface DeviceComparer {
  /** What is kept of the envelope’s device, and compared by; null where it tells of none. */
  describe(organizationId: string, envelope: Envelope): Promise<DeviceRecord | null>;
  compare(tx: Queryable, query: DeviceQuery): Promise<DeviceComparison>;
}

export interface DeviceQuery {
  readonly scope: Scope;
  readonly device: DeviceRecord;
  readonly rootSessionId: string;
  /** Participations before this time may be repeated. */
  readonly sinceMs: number;
  readonly nowMs: number;
}

const noMatch: DeviceComparison = { method: 'none', similarity: 0, matchedDeviceId: null, matchedSessionId: null };

const earlierOf = `f.status IN ('pass', 'review') AND f.root_session_id <> $4 AND f.completed_at >= $5 AND ${inScope}`;

export function createDeviceComparer(pool: Pick<Pool, 'run'>, makeRef: MakeRef): DeviceComparer {
  return {
    async describe(organizationId, { device, sdk, sessionId, nonce }) {
      if (device === undefined) return null;
      const { token } = device.ids ?? {};
      const body: ProbeBody = {
        ...{ v: 1, sdk, projectKey: organizationId, sessionId, nonce, seq: 0, phase: 'load', at: 0, up: 0 },
        ...device,
      };
      const { sketch, bands } = await pool.run({ kind: 'sketch', body, userAgent: null });
      const ref = token == null || token === '' ? null : `dev_${makeRef(organizationId, 'fingerprint:device', token)}`;
      return ref === null && bands.length === 0 ? null : { ref, sketch, bands };
    },
    async compare(tx, { scope, device, rootSessionId, sinceMs, nowMs }) {
      const values = [...scopeValues(scope), rootSessionId, new Date(sinceMs)];
      const { ref, sketch, bands } = device;
      if (ref !== null) {
        const [same] = await tx.query<{ session_id: string }>(
          `SELECT f.session_id FROM fingerprints f WHERE f.device_ref = $6 AND ${earlierOf} ORDER BY f.completed_at DESC LIMIT 1`,
          [...values, ref],
        );
        if (same !== undefined)
          return { method: 'exact', similarity: 1, matchedDeviceId: ref, matchedSessionId: same.session_id };
      }
      if (sketch === null || bands.length === 0) return noMatch;
      const rows = await tx.query<AlikeRow>(
        `SELECT f.session_id, f.device_ref, f.device_sketch, f.completed_at FROM fingerprints f
         WHERE f.device_bands && $6 AND f.device_sketch IS NOT NULL AND ${earlierOf} ORDER BY f.completed_at DESC LIMIT ${candidatesMax}`,
        [...values, bands],
      );
      if (rows.length === 0) return noMatch;
      const candidates = rows.map(candidateOf);
      const { probabilities } = await pool.run({ kind: 'likeness', own: sketch, candidates, nowMs });
      const best = probabilities.indexOf(Math.max(...probabilities));
      const similarity = probabilities[best] ?? 0;
      const row = rows[best];
      if (row === undefined || similarity < fuzzyMin) return noMatch;
      return { method: 'fuzzy', similarity, matchedDeviceId: row.device_ref, matchedSessionId: row.session_id };
    },
  };
}

interface AlikeRow {
  readonly session_id: string;
  readonly device_ref: string | null;
  readonly device_sketch: DeviceSketch;
  readonly completed_at: Date;
  readonly [column: string]: unknown;
}

function candidateOf({ session_id, device_sketch, completed_at }: AlikeRow): DuplicateCandidate {
  const unknown = { respondent: null, device: null, prefix: null };
  return { ...unknown, session: session_id, atMs: completed_at.getTime(), sketch: device_sketch, via: 'similar' };
}
