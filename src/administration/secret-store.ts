/** Secrets that others sign with, at rest only sealed, each bound to the id of its owner. A replaced one stays valid as long as its owner asks. */
import { randomBytes } from 'node:crypto';
import type { Queryable } from '../stores/database/port.js';
import { createSealer, type SealingKeys } from '../crypto/sealing.js';

export interface Secrets {
  readonly current: string;
  /** null: no overlap. */
  readonly previous: string | null;
}

export type SealedSecrets = {
  readonly sealed: Uint8Array;
  /** null also once it has ended. */
  readonly previousSealed: Uint8Array | null;
};

export interface SecretStore {
  /** A new secret, and how it is stored. */
  make(ownerId: string): { readonly secret: string; readonly sealed: Uint8Array };
  open(ownerId: string, stored: SealedSecrets): Secrets;
  /** Replaces the secret of a row. The old one stays for so many hours; with none it is gone. `until`: when it ends. */
  rotate(
    tx: Queryable,
    table: keyof typeof idColumns,
    ownerId: string,
    overlapHours: number,
  ): Promise<{ readonly secret: string; readonly until: Date | null }>;
}

/** The tables that hold secrets. */
const idColumns = { studies: 'study_id', suppliers: 'supplier_id', webhooks: 'webhook_id' } as const;

const secretBytes = 32;

/** A previous secret that has ended is not read at all. */
export const sealedColumns =
  'sealed, CASE WHEN previous_until > now() THEN previous_sealed END AS "previousSealed"' as const;

export function createSecretStore(masterKeys: SealingKeys): SecretStore {
  const sealer = createSealer(masterKeys, 'webhook-secrets');
  const unsealFor = (ownerId: string, sealed: Uint8Array): string =>
    Buffer.from(sealer.unseal(sealed, Buffer.from(ownerId))).toString('hex');
  const make = (ownerId: string) => {
    const bytes = randomBytes(secretBytes);
    return { secret: bytes.toString('hex'), sealed: sealer.seal(bytes, Buffer.from(ownerId)) };
  };
  return {
    make,
    async rotate(tx, table, ownerId, overlapHours) {
      const { secret, sealed } = make(ownerId);
      const [row] = await tx.query<{ until: Date | null }>(
        `UPDATE ${table} SET previous_sealed = CASE WHEN $3 > 0 THEN sealed END,
                previous_until = CASE WHEN $3 > 0 THEN now() + $3 * interval '1 hour' END, sealed = $2
          WHERE ${idColumns[table]} = $1 RETURNING previous_until AS until`,
        [ownerId, sealed, overlapHours],
      );
      return { secret, until: row?.until ?? null };
    },
    open: (ownerId, { sealed, previousSealed }) => ({
      current: unsealFor(ownerId, sealed),
      previous: previousSealed === null ? null : unsealFor(ownerId, previousSealed),
    }),
  };
}
