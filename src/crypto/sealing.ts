/** Sealing at rest: AES-256-GCM with a random nonce, bound to a context, so that no stored value can stand in for another. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from './master-key.js';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** A master key, or several of which the first seals and all open. */
export type SealingKeys = Uint8Array | readonly Uint8Array[];

export interface Sealer {
  /** Encrypts a secret for one place: the context says whose it is. */
  seal(secret: Uint8Array, context: Uint8Array): Uint8Array;
  /** Decrypts what any of the keys sealed; throws where context or a byte differs, or none of the keys opens it. */
  unseal(sealed: Uint8Array, context: Uint8Array): Uint8Array;
}

/** Seals for one purpose, under keys that derive from the master keys. */
export function createSealer(masterKeys: SealingKeys, purpose: string): Sealer {
  const given = masterKeys instanceof Uint8Array ? [masterKeys] : masterKeys;
  const keys = given.map((masterKey) => deriveKey(masterKey, purpose));
  const [current] = keys;
  if (current === undefined) throw new Error('Nothing is sealed without a master key.');
  return {
    seal: (secret, context) => seal(current, secret, context),
    unseal(sealed, context) {
      for (const key of keys.slice(0, -1)) {
        try {
          return unseal(key, sealed, context);
        } catch {
          // Sealed under an older key, or damaged: the last one says which.
        }
      }
      return unseal(keys.at(-1) ?? current, sealed, context);
    },
  };
}

/** Layout: nonce, ciphertext, tag. */
function seal(key: Uint8Array, secret: Uint8Array, context: Uint8Array): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce).setAAD(context);
  return Buffer.concat([nonce, sealing.update(secret), sealing.final(), sealing.getAuthTag()]);
}

function unseal(key: Uint8Array, sealed: Uint8Array, context: Uint8Array): Uint8Array {
  const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes }).setAAD(
    context,
  );
  opening.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  return Buffer.concat([opening.update(sealed.subarray(nonceBytes, sealed.length - tagBytes)), opening.final()]);
}
