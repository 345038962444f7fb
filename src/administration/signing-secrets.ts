/**
 * A project's secrets for its verification tokens: 32 random bytes, numbered by version, at rest only sealed (AES-256-GCM) under
 * a key that derives from the master key. A seal is bound to its project and version, so that no row can stand in for another; one
 * that does not open is a fault of the store, not of the caller.
 *
 *     current ──rotate──▶ replaced (verifies until its tokens expire) ──or, with revokePrevious──▶ revoked
 */
import { randomBytes } from 'node:crypto';
import { createSealer, type SealingKeys } from '../crypto/sealing.js';
import type { Queryable } from '../stores/database/port.js';
import type { StoredProject } from './project-store.js';

const purpose = 'signing-secrets';
const secretBytes = 32;

export interface SigningSecret {
  readonly version: number;
  readonly secret: Uint8Array;
  /** null while it is the current one. */
  readonly replacedAt: Date | null;
}

export type SigningSecrets = ReturnType<typeof createSigningSecrets>;

export function createSigningSecrets(masterKeys: SealingKeys) {
  const sealer = createSealer(masterKeys, purpose);
  return {
    /** Makes the next version the current one and answers which it is; with `revokePrevious` nothing older verifies any more. */
    async rotate(
      tx: Queryable,
      { organizationId, projectId }: Pick<StoredProject, 'organizationId' | 'projectId'>,
      revokePrevious: boolean,
    ): Promise<{ readonly version: number; readonly rotatedAt: Date }> {
      const [last] = await tx.query<{ version: number | null }>(
        'SELECT max(version) AS version FROM signing_secrets WHERE project_id = $1',
        [projectId],
      );
      const version = (last?.version ?? 0) + 1;
      await tx.query(
        `UPDATE signing_secrets SET replaced_at = coalesce(replaced_at, now()), revoked_at = CASE WHEN $2 THEN coalesce(revoked_at, now()) ELSE revoked_at END WHERE project_id = $1`,
        [projectId, revokePrevious],
      );
      const [row] = await tx.query<{ created_at: Date }>(
        'INSERT INTO signing_secrets (organization_id, project_id, version, sealed) VALUES ($1, $2, $3, $4) RETURNING created_at',
        [organizationId, projectId, version, sealer.seal(randomBytes(secretBytes), contextOf(projectId, version))],
      );
      if (row === undefined) throw new Error('the insert returned no row');
      return { version, rotatedAt: row.created_at };
    },
    /** The secrets that may still verify, the current one first. */
    async read(database: Queryable, projectId: string): Promise<readonly SigningSecret[]> {
      const rows = await database.query<{ version: number; sealed: Uint8Array; replacedAt: Date | null }>(
        'SELECT version, sealed, replaced_at AS "replacedAt" FROM signing_secrets WHERE project_id = $1 AND revoked_at IS NULL ORDER BY version DESC LIMIT 20',
        [projectId],
      );
      return rows.map(({ sealed, ...row }) => ({
        ...row,
        secret: sealer.unseal(sealed, contextOf(projectId, row.version)),
      }));
    },
  };
}

const contextOf = (projectId: string, version: number): Buffer => Buffer.from(`${projectId}\n${version}`);
