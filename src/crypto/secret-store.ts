/** Secrets that others sign with, at rest only sealed, each bound to the id of its owner. A replaced one stays valid as long as its owner asks. */
import { randomBytes } from 'node:crypto';
import { createSealer, type SealingKeys } from './sealing.js';

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
}

const secretBytes = 32;

/** A previous secret that has ended is not read at all. */
export const sealedColumns =
  'sealed, CASE WHEN previous_until > now() THEN previous_sealed END AS "previousSealed"' as const;

/** Replaces a secret; $2 is the new one, $3 the hours that the old one stays. With none it is gone. */
export const replaceSealed = `previous_sealed = CASE WHEN $3 > 0 THEN sealed END,
  previous_until = CASE WHEN $3 > 0 THEN now() + $3 * interval '1 hour' END, sealed = $2` as const;

export function createSecretStore(masterKeys: SealingKeys): SecretStore {
  const sealer = createSealer(masterKeys, 'webhook-secrets');
  const unsealFor = (ownerId: string, sealed: Uint8Array): string =>
    Buffer.from(sealer.unseal(sealed, Buffer.from(ownerId))).toString('hex');
  return {
    make(ownerId) {
      const bytes = randomBytes(secretBytes);
      return { secret: bytes.toString('hex'), sealed: sealer.seal(bytes, Buffer.from(ownerId)) };
    },
    open: (ownerId, { sealed, previousSealed }) => ({
      current: unsealFor(ownerId, sealed),
      previous: previousSealed === null ? null : unsealFor(ownerId, previousSealed),
    }),
  };
}
