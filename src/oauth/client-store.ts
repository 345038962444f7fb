/** OAuth clients as administration sees them. Every function is given the organization and finds nothing beyond it. */
import type { ClientKeySet, OAuthClientRecord, OAuthScope } from '../contract/oauth.js';
import { cutPage, type Page, type PageOf } from '../kernel/paging.js';
import type { Queryable } from '../stores/database/port.js';

export type AdministeredClient = {
  readonly clientId: string;
  readonly name: string;
  readonly scopes: readonly OAuthScope[];
  readonly hasKeys: boolean;
  readonly createdAt: Date;
  readonly rotatedAt: Date | null;
  readonly revokedAt: Date | null;
};

/** How a client authenticates: by one of the two. */
export type ClientCredential =
  | { readonly secretHash: Uint8Array; readonly jwks: null }
  | { readonly secretHash: null; readonly jwks: ClientKeySet };

const columns = `client_id AS "clientId", name, scopes, jwks IS NOT NULL AS "hasKeys", created_at AS "createdAt", rotated_at AS "rotatedAt",
  revoked_at AS "revokedAt"`;

const jsonOf = (jwks: ClientKeySet | null): string | null => (jwks === null ? null : JSON.stringify(jwks));

export async function insertClient(
  tx: Queryable,
  client: Pick<AdministeredClient, 'clientId' | 'name' | 'scopes'> & { readonly organizationId: string },
  { secretHash, jwks }: ClientCredential,
): Promise<AdministeredClient> {
  const rows = await tx.query<AdministeredClient>(
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
  const [row] = await tx.query<AdministeredClient>(
    `SELECT ${columns} FROM oauth_clients WHERE client_id = $1 AND organization_id = $2 FOR UPDATE`,
    [clientId, organizationId],
  );
  return row ?? null;
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
  const rows = await tx.query<AdministeredClient>(
    `UPDATE oauth_clients SET secret_hash = $2, jwks = $3::jsonb, version = version + 1, rotated_at = now() WHERE client_id = $1 RETURNING ${columns}`,
    [clientId, secretHash, jsonOf(jwks)],
  );
  return onlyClient(rows);
}

export async function revokeClient(tx: Queryable, clientId: string): Promise<AdministeredClient> {
  const rows = await tx.query<AdministeredClient>(
    `UPDATE oauth_clients SET revoked_at = coalesce(revoked_at, now()) WHERE client_id = $1 RETURNING ${columns}`,
    [clientId],
  );
  return onlyClient(rows);
}

export async function listClients(
  tx: Queryable,
  organizationId: string,
  page: Page,
): Promise<PageOf<AdministeredClient>> {
  const rows = await tx.query<AdministeredClient>(
    `SELECT ${columns} FROM oauth_clients WHERE organization_id = $1 AND ($2::text IS NULL OR client_id < $2) ORDER BY client_id DESC LIMIT $3`,
    [organizationId, page.below, page.limit + 1],
  );
  return cutPage(rows, page.limit, ({ clientId }) => clientId);
}

export const showClient = ({ clientId, name, scopes, ...client }: AdministeredClient): OAuthClientRecord => ({
  ...{ clientId, name, scopes: [...scopes] },
  authentication: client.hasKeys ? 'private_key_jwt' : 'client_secret_basic',
  createdAt: client.createdAt.toISOString(),
  rotatedAt: client.rotatedAt?.toISOString() ?? null,
  state: client.revokedAt === null ? 'active' : 'revoked',
});

function onlyClient([client]: readonly AdministeredClient[]): AdministeredClient {
  if (client === undefined) throw new Error('a client that was just written is missing');
  return client;
}
