/**
 * API keys: minting and looking up. Only the SHA-256 of a secret is stored; the secret itself is returned once.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { KeyCaller } from '../http/access.js';
import { makeId } from '../crypto/ids.js';
import type { Queryable } from '../stores/database/port.js';

/** Scopes that a key of each tier is minted with. */
export const keyScopes = {
  project: ['lite:write', 'lite:read', 'verifications:write', 'verifications:read', 'analytics:read'],
  organization: ['lite:write', 'lite:read', 'verifications:write', 'verifications:read', 'analytics:read', 'projects:write', 'keys:write', 'settings:write'],
} as const;

export interface RateLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

export const rateLimitDefaults: RateLimits = { perMinute: 6_000, perDay: 2_000_000 };

/** Characters of a secret that may be shown to tell keys apart. */
const shownCharacters = 6;

export interface NewKey {
  readonly organizationId: string;
  /** null mints an organization key. */
  readonly projectId: string | null;
  readonly name: string;
  readonly isTest: boolean;
  /** Default: rateLimitDefaults. */
  readonly limits?: RateLimits;
}

export interface MintedKey {
  readonly keyId: string;
  /** The only time that the secret exists outside its owner’s hands. */
  readonly secret: string;
  readonly prefix: string;
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export async function mintKey(database: Queryable, key: NewKey): Promise<MintedKey> {
  const family = `vf_${key.projectId === null ? 'org_' : ''}${key.isTest ? 'test' : 'live'}_`;
  const secret = family + randomBytes(32).toString('base64url');
  const prefix = secret.slice(0, family.length + shownCharacters);
  const keyId = makeId('key');
  const limits = key.limits ?? rateLimitDefaults;
  await database.query(
    `INSERT INTO api_keys (key_id, lineage, organization_id, project_id, name, secret_hash, prefix, scopes, per_minute, per_day, is_test)
     VALUES ($1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [keyId, key.organizationId, key.projectId, key.name, hashSecret(secret), prefix, [...keyScopes[key.projectId === null ? 'organization' : 'project']],
      limits.perMinute, limits.perDay, key.isTest],
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
    `SELECT key_id, lineage, organization_id, project_id, scopes, per_minute, per_day, expires_at
       FROM api_keys WHERE secret_hash = decode($1, 'hex') AND revoked_at IS NULL`,
    [hash],
  );
  if (row === undefined) return null;
  return {
    kind: 'key',
    keyId: row.key_id,
    lineage: row.lineage,
    organizationId: row.organization_id,
    projectId: row.project_id,
    scopes: row.scopes,
    limits: { perMinute: row.per_minute, perDay: row.per_day },
    expiresAtMs: row.expires_at?.getTime() ?? null,
  };
}

type KeyRow = {
  readonly key_id: string;
  readonly lineage: string;
  readonly organization_id: string;
  readonly project_id: string | null;
  readonly scopes: readonly string[];
  readonly per_minute: number;
  readonly per_day: number;
  readonly expires_at: Date | null;
};
