/** API keys as administration sees them. Every function is given the owner and finds nothing beyond it. */
import type { SessionMode } from '../../contract/common.js';
import type { KeyIntrospection, KeyRecord, RateLimits } from '../../contract/api-key.js';
import type { Queryable, Row } from '../../stores/database/port.js';
import { keyColumns, mintKey, projectOfKey, type KeyOwner, type MintedKey } from '../../administration/api-keys.js';
import { cutPage, type Page, type PageOf } from '../../kernel/paging.js';

export interface AdministeredKey extends KeyOwner {
  readonly keyId: string;
  readonly lineage: string;
  readonly name: string;
  readonly prefix: string;
  readonly projectName: string | null;
  readonly scopes: readonly string[];
  readonly limits: RateLimits;
  readonly isTest: boolean;
  readonly isDemo: boolean;
  readonly diagnosticsEnabled: boolean;
  readonly issued: boolean;
  readonly secretHash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

type KeyRow = Row & AdministeredKey;
const select = `
  SELECT ${keyColumns}, k.name, k.prefix, p.fields ->> 'name' AS "projectName", k.issued, encode(k.secret_hash, 'hex') AS "secretHash",
         k.created_at AS "createdAt", k.revoked_at AS "revokedAt", u.last_used_at AS "lastUsedAt"
    FROM api_keys k LEFT JOIN projects p ON p.project_id = ${projectOfKey} LEFT JOIN api_key_uses u ON u.key_id = k.key_id`;

/** One key of the owner’s, locked until the transaction ends where asked. */
export async function findOwnedKey(
  tx: Queryable,
  owner: KeyOwner,
  keyId: string,
  options: { readonly lock?: boolean } = {},
): Promise<AdministeredKey | null> {
  const [row] = await tx.query<KeyRow>(
    `${select} WHERE k.key_id = $1 AND k.organization_id = $2 AND ${projectOfKey} IS NOT DISTINCT FROM $3::text${options.lock === true ? ' FOR UPDATE OF k' : ''}`,
    [keyId, owner.organizationId, owner.projectId],
  );
  return row ?? null;
}

/** The active key that provisioning issued for a project, or null. */
export async function findIssuedKey(tx: Queryable, projectId: string, now: Date): Promise<AdministeredKey | null> {
  const [row] = await tx.query<KeyRow>(
    `${select} WHERE k.project_id = $1 AND k.issued AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)`,
    [projectId, now],
  );
  return row ?? null;
}

/** The owner’s keys that a credential of mode `mode` manages. */
export async function listKeys(
  database: Queryable,
  owner: KeyOwner,
  mode: SessionMode,
  page: Page,
): Promise<PageOf<AdministeredKey>> {
  const rows = await database.query<KeyRow>(
    `${select} WHERE k.organization_id = $1 AND ${projectOfKey} IS NOT DISTINCT FROM $2::text AND ($3::text IS NULL OR k.key_id < $3)
        AND ($5 = 'live' OR $5 = CASE WHEN k.is_demo THEN 'demo' WHEN k.is_test THEN 'test' ELSE 'live' END)
      ORDER BY k.key_id DESC LIMIT $4`,
    [owner.organizationId, owner.projectId, page.below, page.limit + 1, mode],
  );
  return cutPage(rows, page.limit, ({ keyId }) => keyId);
}

export function isActive(key: AdministeredKey, nowMs: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt.getTime() > nowMs);
}

/** Revokes the key and mints one that inherits everything but the secret; `expiresAt` undefined inherits the expiry too. */
export async function replaceKey(
  tx: Queryable,
  key: AdministeredKey,
  expiresAt: Date | undefined,
): Promise<MintedKey & { readonly expiresAt: Date | null }> {
  await revokeKey(tx, key.keyId);
  const expiry = expiresAt ?? key.expiresAt;
  const minted = await mintKey(tx, { ...key, expiresAt: expiry });
  return { ...minted, expiresAt: expiry };
}

export async function revokeKey(tx: Queryable, keyId: string): Promise<void> {
  await tx.query('UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE key_id = $1', [keyId]);
}

export async function setKeyLimits(tx: Queryable, keyId: string, { perMinute, perDay }: RateLimits): Promise<void> {
  await tx.query('UPDATE api_keys SET per_minute = $2, per_day = $3 WHERE key_id = $1', [keyId, perMinute, perDay]);
}

/** Keys that provisioning issued and that have expired make room for a new one. */
export async function retireIssuedKeys(tx: Queryable, projectId: string): Promise<void> {
  await tx.query('UPDATE api_keys SET revoked_at = now() WHERE project_id = $1 AND issued AND revoked_at IS NULL', [
    projectId,
  ]);
}

/** Revokes the demo keys of a project and returns the hex SHA-256 of each secret, by which caches forget them. */
export async function revokeDemoKeys(tx: Queryable, projectId: string): Promise<readonly string[]> {
  const rows = await tx.query<{ readonly hash: string }>(
    `UPDATE api_keys SET revoked_at = now() WHERE project_id = $1 AND is_demo AND revoked_at IS NULL
       RETURNING encode(secret_hash, 'hex') AS hash`,
    [projectId],
  );
  return rows.map(({ hash }) => hash);
}

export function introspect(key: AdministeredKey): KeyIntrospection {
  return {
    keyId: key.keyId,
    organizationId: key.organizationId,
    scope: key.projectId === null ? 'organization' : 'project',
    projectId: key.projectId,
    projectName: key.projectName,
    isTest: key.isTest,
    isDemo: key.isDemo,
    diagnosticsEnabled: key.diagnosticsEnabled,
    scopes: [...key.scopes],
    rateLimit: key.limits,
    ...(key.expiresAt === null ? {} : { expiresAt: key.expiresAt.toISOString() }),
  };
}

export function showKey(key: AdministeredKey, nowMs: number): KeyRecord {
  return {
    ...introspect(key),
    name: key.name,
    prefix: key.prefix,
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    state: stateOf(key, nowMs),
  };
}

function stateOf(key: AdministeredKey, nowMs: number): KeyRecord['state'] {
  if (key.revokedAt !== null) return 'revoked';
  return isActive(key, nowMs) ? 'active' : 'expired';
}
