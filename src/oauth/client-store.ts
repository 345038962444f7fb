/**
 * OAuth clients as administration sees them. Every function is given the organization and finds nothing beyond it.
 */
import type { ClientKeySet, OAuthClientRecord, OAuthScope } from '../contract/oauth.js';
import { cutPage, type Page } from '../kernel/paging.js';
import type { Queryable } from '../stores/database/port.js';

export interface AdministeredClient {
  readonly clientId: string;
  readonly name: string;
  readonly scopes: readonly OAuthScope[];
  readonly hasKeys: boolean;
  readonly createdAt: Date;
  readonly rotatedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** How a client authenticates: by one of the two. */
export type ClientCredential =
  { readonly secretHash: Uint8Array; readonly jwks: null } | { readonly secretHash: null; readonly jwks: ClientKeySet };

const columns = 'client_id, name, scopes, jwks IS NOT NULL AS has_keys, created_at, rotated_at, revoked_at';

type Row = {
  readonly client_id: string;
  readonly name: string;
  readonly scopes: readonly OAuthScope[];
  readonly has_keys: boolean;
  readonly created_at: Date;
  readonly rotated_at: Date | null;
  readonly revoked_at: Date | null;
};

const jsonOf = (jwks: ClientKeySet | null): string | null => (jwks === null ? null : JSON.stringify(jwks));

export async function insertClient(
  tx: Queryable,
  client: { readonly clientId: string; readonly organizationId: string; readonly name: string } & {
    readonly scopes: readonly OAuthScope[];
    readonly credential: ClientCredential;
  },
): Promise<AdministeredClient> {
  const { secretHash, jwks } = client.credential;
  const rows = await tx.query<Row>(
    `INSERT INTO oauth_clients (client_id, organization_id, name, scopes, secret_hash, jwks) VALUES ($1, $2, $3, $4, $5, $6::jsonb) RETURNING ${columns}`,
    [client.clientId, client.organizationId, client.name, [...client.scopes], secretHash, jsonOf(jwks)],
  );
  return onlyClient(rows);
}

/** One client of the organization’s, locked until the transaction ends. */
export async function lockClient(
  tx: Queryable,
  organizationId: string,
  clientId: string,
): Promise<AdministeredClient | null> {
  const [row] = await tx.query<Row>(
    `SELECT ${columns} FROM oauth_clients WHERE client_id = $1 AND organization_id = $2 FOR UPDATE`,
    [clientId, organizationId],
  );
  return row === undefined ? null : clientOf(row);
}

/** Active clients of the organization, null where there is no such organization; the organization’s row is locked, so that two that are made at once are counted. */
export async function countClients(tx: Queryable, organizationId: string): Promise<number | null> {
  const held = await tx.query('SELECT 1 FROM organizations WHERE organization_id = $1 FOR UPDATE', [organizationId]);
  if (held.length === 0) return null;
  const [row] = await tx.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM oauth_clients WHERE organization_id = $1 AND revoked_at IS NULL',
    [organizationId],
  );
  return row?.count ?? 0;
}

export async function replaceCredential(
  tx: Queryable,
  clientId: string,
  { secretHash, jwks }: ClientCredential,
): Promise<AdministeredClient> {
  const rows = await tx.query<Row>(
    `UPDATE oauth_clients SET secret_hash = $2, jwks = $3::jsonb, version = version + 1, rotated_at = now() WHERE client_id = $1 RETURNING ${columns}`,
    [clientId, secretHash, jsonOf(jwks)],
  );
  return onlyClient(rows);
}

export async function revokeClient(tx: Queryable, clientId: string): Promise<AdministeredClient> {
  const rows = await tx.query<Row>(
    `UPDATE oauth_clients SET revoked_at = coalesce(revoked_at, now()) WHERE client_id = $1 RETURNING ${columns}`,
    [clientId],
  );
  return onlyClient(rows);
}

export async function listClients(
  tx: Queryable,
  organizationId: string,
  page: Page,
): Promise<{ readonly items: readonly AdministeredClient[]; readonly nextCursor: string | null }> {
  const rows = await tx.query<Row>(
    `SELECT ${columns} FROM oauth_clients WHERE organization_id = $1 AND ($2::text IS NULL OR client_id < $2) ORDER BY client_id DESC LIMIT $3`,
    [organizationId, page.below, page.limit + 1],
  );
  return cutPage(rows.map(clientOf), page.limit, ({ clientId }) => clientId);
}

export function showClient(client: AdministeredClient): OAuthClientRecord {
  return {
    clientId: client.clientId,
    name: client.name,
    scopes: [...client.scopes],
    authentication: client.hasKeys ? 'private_key_jwt' : 'client_secret_basic',
    createdAt: client.createdAt.toISOString(),
    rotatedAt: client.rotatedAt?.toISOString() ?? null,
    state: client.revokedAt === null ? 'active' : 'revoked',
  };
}

function onlyClient([row]: readonly Row[]): AdministeredClient {
  if (row === undefined) throw new Error('a client that was just written is missing');
  return clientOf(row);
}

const clientOf = (row: Row): AdministeredClient => ({
  clientId: row.client_id,
  name: row.name,
  scopes: row.scopes,
  hasKeys: row.has_keys,
  createdAt: row.created_at,
  rotatedAt: row.rotated_at,
  revokedAt: row.revoked_at,
});
