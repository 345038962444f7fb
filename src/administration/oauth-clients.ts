/**
 * OAuth clients as tokens are made and checked by: read from the cache, forgotten when they change. Only the SHA-256 of a secret is stored.
 *
 *     active ──rotate──▶ active (secret or keys replaced; tokens made before are dead)
 *     active ──revoke──▶ revoked
 */
import type { ClientKeySet, OAuthScope } from '../contract/oauth.js';
import type { Queryable, Row } from '../stores/database/port.js';

export interface StoredClient {
  readonly clientId: string;
  readonly organizationId: string;
  readonly scopes: readonly OAuthScope[];
  /** SHA-256; null where the client signs with a key of its own. */
  readonly secretHash: Uint8Array | null;
  readonly jwks: ClientKeySet | null;
  /** Raised by each rotation. */
  readonly version: number;
}

const clientIdForm = /^client_[0-9a-f]{32}$/;

export const isClientId = (text: string): boolean => clientIdForm.test(text);

/** A client that is not revoked, or null. The form of an id is looked at first, so that no text of a caller’s reaches the database. */
export async function findClient(database: Queryable, clientId: string): Promise<StoredClient | null> {
  if (!isClientId(clientId)) return null;
  const [row] = await database.query<Row & StoredClient>(
    `SELECT client_id AS "clientId", organization_id AS "organizationId", scopes, secret_hash AS "secretHash", jwks, version
       FROM oauth_clients WHERE client_id = $1 AND revoked_at IS NULL`,
    [clientId],
  );
  return row ?? null;
}
