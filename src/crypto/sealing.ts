/**
 * Sealing of secrets and of personal data at rest: AES-256-GCM with a random nonce, bound to a context (an owner, a version), so that no
 * stored value can stand in for another. A value that does not open is a fault of the store, not of the caller.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a secret for one place: the context says whose it is. Layout: nonce, ciphertext, tag. */
export function seal(key: Uint8Array, secret: Uint8Array, context: Uint8Array): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce).setAAD(context);
  return Buffer.concat([nonce, sealing.update(secret), sealing.final(), sealing.getAuthTag()]);
}

/** Decrypts what `seal` made; throws where key, context or a byte differs. */
export function unseal(key: Uint8Array, sealed: Uint8Array, context: Uint8Array): Uint8Array {
  const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes }).setAAD(
    context,
  );
  opening.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  return Buffer.concat([opening.update(sealed.subarray(nonceBytes, sealed.length - tagBytes)), opening.final()]);
}
