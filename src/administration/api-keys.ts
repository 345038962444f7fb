/**
 * API keys: minting, looking up, and when each was last used. Only the SHA-256 of a secret is stored; the secret itself is returned once.
 *
 *     active ──rotate──▶ revoked (a replacement of the same lineage is active)
 *     active ──revoke──▶ revoked
 *     active ──expiresAt──▶ expired
 *
 * A key from before the two kinds existed is an organization key and has all scopes of that kind, whatever its row says.
 */
import { hash, randomBytes } from 'node:crypto';
import { createBoundedCache } from '../bounded-cache.js';
import type { KeyCaller } from '../kernel/caller.js';
import { rateLimitDefaults, type RateLimits } from '../contract/api-key.js';
import { keyScopes } from '../contract/key-scopes.js';
import { makeId } from '../crypto/ids.js';
import type { Database, Queryable, Row } from '../stores/database/port.js';
import type { Logger } from '../telemetry/logger.js';

/** Keys created before this day know no project. */
const scopeSplit = '2026-05-21T00:00:00Z';

/** The project that a row of api_keys is good for. */
export const projectOfKey = `CASE WHEN k.created_at >= timestamptz '${scopeSplit}' THEN k.project_id END`;

/** The columns of `api_keys k` that every reader of a key needs. */
export const keyColumns = `k.key_id AS "keyId", k.lineage, k.organization_id AS "organizationId", ${projectOfKey} AS "projectId",
  CASE WHEN k.created_at >= timestamptz '${scopeSplit}' THEN k.scopes ELSE '{${keyScopes.organization.join(',')}}' END AS scopes,
  json_build_object('perMinute', k.per_minute, 'perDay', k.per_day) AS limits,
  k.is_test AS "isTest", k.is_demo AS "isDemo", k.diagnostics_enabled AS "diagnosticsEnabled", k.expires_at AS "expiresAt"`;

/** Characters of a secret that are shown to distinguish keys. */
const shownCharacters = 6;

export interface NewKey {
  readonly organizationId: string;
  /** null mints an organization key. */
  readonly projectId: string | null;
  readonly name: string;
  readonly isTest: boolean;
  /** Default: rateLimitDefaults. */
  readonly limits?: RateLimits;
  /** Default: all that its kind of key may have. */
  readonly scopes?: readonly string[];
  /** Default: never. */
  readonly expiresAt?: Date | null;
  /** Default: the first of a lineage of its own. */
  readonly lineage?: string;
  readonly isDemo?: boolean;
  readonly diagnosticsEnabled?: boolean;
  /** Made by provisioning. */
  readonly issued?: boolean;
}

export interface MintedKey {
  readonly keyId: string;
  /** The only time that the secret exists outside its owner’s hands. */
  readonly secret: string;
  readonly prefix: string;
}

export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

export async function mintKey(database: Queryable, key: NewKey): Promise<MintedKey> {
  const family = `vf_${key.projectId === null ? 'org_' : ''}${key.isTest ? 'test' : 'live'}_`;
  const secret = family + randomBytes(32).toString('base64url');
  const prefix = secret.slice(0, family.length + shownCharacters);
  const keyId = makeId('key');
  const limits = key.limits ?? rateLimitDefaults;
  const scopes = key.scopes ?? keyScopes[key.projectId === null ? 'organization' : 'project'];
  await database.query(
    `INSERT INTO api_keys (key_id, lineage, organization_id, project_id, name, secret_hash, prefix, scopes, per_minute, per_day, is_test, is_demo, diagnostics_enabled, issued, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      keyId,
      key.lineage ?? keyId,
      key.organizationId,
      key.projectId,
      key.name,
      hashSecret(secret),
      prefix,
      [...scopes],
      limits.perMinute,
      limits.perDay,
      key.isTest,
      key.isDemo ?? false,
      key.diagnosticsEnabled ?? false,
      key.issued ?? false,
      key.expiresAt ?? null,
    ],
  );
  return { keyId, secret, prefix };
}

/** A key as it is cached; expiry is checked at each use. */
export interface StoredKey extends KeyCaller {
  readonly expiresAtMs: number | null;
}

/** Reads a key that is not revoked by the hex SHA-256 of its secret. */
export async function findKeyByHash(database: Queryable, hash: string): Promise<StoredKey | null> {
  const [row] = await database.query<KeyRow>(
    `SELECT ${keyColumns} FROM api_keys k WHERE secret_hash = decode($1, 'hex') AND revoked_at IS NULL`,
    [hash],
  );
  if (row === undefined) return null;
  const { expiresAt, ...key } = row;
  return { kind: 'key', ...key, expiresAtMs: expiresAt?.getTime() ?? null };
}

type KeyRow = Row & Omit<StoredKey, 'kind' | 'expiresAtMs'> & { readonly expiresAt: Date | null };

export interface KeyOwner {
  readonly organizationId: string;
  /** null: keys of organization scope. */
  readonly projectId: string | null;
}

const keyIdForm = /^key_[0-9a-f]{32}$/;

/** Whose key this is, or null. The form of an id is looked at first, so that no text of a caller’s reaches the database. */
export async function findKeyOwner(database: Queryable, keyId: string): Promise<KeyOwner | null> {
  if (!keyIdForm.test(keyId)) return null;
  const [row] = await database.query<Row & KeyOwner>(
    `SELECT organization_id AS "organizationId", ${projectOfKey} AS "projectId" FROM api_keys k WHERE key_id = $1`,
    [keyId],
  );
  return row ?? null;
}

const keysMax = 50_000;
const writeEveryMs = 5_000;
const noteEveryMs = 60_000;

/** Notes uses off the hot path, at most once a minute for a key. Uses noted while the database is away are lost. */
export function createKeyUse(deps: {
  readonly database: Database;
  readonly logger: Logger;
  readonly now: () => number;
}) {
  const { database, logger, now } = deps;
  const noted = createBoundedCache<number>(keysMax);
  let pending = new Map<string, number>();

  async function flush(): Promise<void> {
    if (pending.size === 0) return;
    const batch = [...pending];
    pending = new Map();
    try {
      await database.query(
        `INSERT INTO api_key_uses (key_id, last_used_at) SELECT key_id, to_timestamp(at / 1000.0) FROM unnest($1::text[], $2::float8[]) AS use (key_id, at)
         ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(api_key_uses.last_used_at, excluded.last_used_at)`,
        [batch.map(([keyId]) => keyId), batch.map(([, at]) => at)],
      );
    } catch (error) {
      logger.warn({ err: error, keys: batch.length }, 'writing API key usage failed');
    }
  }

  const timer = setInterval(() => void flush(), writeEveryMs);
  timer.unref();
  return {
    note(keyId: string): void {
      const at = now();
      if (at - (noted.get(keyId) ?? -Infinity) < noteEveryMs) return;
      noted.set(keyId, at);
      if (pending.size < keysMax) pending.set(keyId, at);
    },
    /** Writes what is noted now; never rejects. */
    flush,
    async close(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}
