/** Hashes over a whole redirect, as panels check them: the last parameter covers the address before it. Pure. */
import { createHash, createHmac } from 'node:crypto';
import { addressHashes, type AddressHash } from '../contract/supplier.js';

type Digest = (address: string, secret: string) => string;

const hmac =
  (algorithm: 'sha1' | 'sha256'): Digest =>
  (address, secret) =>
    createHmac(algorithm, secret).update(address).digest('base64url');

const digests: Readonly<Record<AddressHash, Digest>> = {
  hmac_sha1: hmac('sha1'),
  hmac_sha1_amp: hmac('sha1'),
  hmac_sha256: hmac('sha256'),
  hmac_sha256_amp: hmac('sha256'),
  // A panel that checks no HMAC appends the secret to the text.
  sha1: (address, secret) =>
    createHash('sha1')
      .update(address + secret)
      .digest('hex'),
};

/** The address, the separator and name of its last parameter, and the hash that is its value. */
const endForm = /^([^#]*)([?&])([^?&=#{}]+=)\{(\w+)\}$/;

const isHash = (name: string): name is AddressHash => addressHashes.some((known) => known === name);

/** Takes the hash off the end of an address; the rest has no hash unless it stands in the wrong place. */
export function withoutHash(address: string): string {
  const [, before = '', , , name = ''] = endForm.exec(address) ?? [];
  return isHash(name) ? before : address;
}

/** Fills in the hash at the end of an address whose other placeholders are filled in. */
export function hashAddress(address: string, secret: string): string {
  const [, before = '', separator = '', parameter = '', name = ''] = endForm.exec(address) ?? [];
  if (!isHash(name)) return address;
  const covered = name.endsWith('_amp') ? before + separator : before;
  return before + separator + parameter + digests[name](covered, secret);
}
