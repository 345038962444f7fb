/** Signatures of the service against published vectors, and against forgeries made of them. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { signBytes, verifyBytes, type SigningKey } from '../../src/crypto/master-key.js';

const vectors = JSON.parse(readFileSync('test/crypto/ed25519-vectors.json', 'utf8')) as {
  readonly key: { readonly kty: string; readonly crv: string; readonly d: string; readonly x: string };
  readonly jws: string;
};
const { kty, crv, d, x } = vectors.key;
const key = {
  keyId: 'vector',
  privateKey: createPrivateKey({ key: { kty, crv, d, x }, format: 'jwk' }),
  publicKey: createPublicKey({ key: { kty, crv, x }, format: 'jwk' }),
} as unknown as SigningKey;
const [header = '', payload = '', text = ''] = vectors.jws.split('.');
const signed = Buffer.from(`${header}.${payload}`);
const signature = Buffer.from(text, 'base64url');

/** The order of the group, little-endian: S and S + L sign alike where S is not looked at. */
const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;

t.test('the published signature is made, byte for byte, and verifies', (t) => {
  t.same(Buffer.from(signBytes(key, signed)), signature);
  t.ok(verifyBytes(key, signed, signature));
  t.end();
});

t.test('no change of the message or of a bit of the signature verifies, nor another length', (t) => {
  t.notOk(verifyBytes(key, Buffer.from(`${header}.${payload}A`), signature));
  t.notOk(verifyBytes(key, Buffer.alloc(0), signature));
  for (let bit = 0; bit < 512; bit += 1) {
    const changed = Buffer.from(signature);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if (verifyBytes(key, signed, changed)) t.fail(`bit ${bit}`);
  }
  for (const length of [0, 1, 32, 63])
    t.notOk(verifyBytes(key, signed, signature.subarray(0, length)), `${length} bytes`);
  t.notOk(verifyBytes(key, signed, Buffer.concat([signature, Buffer.of(0)])), 'a byte too many');
  t.end();
});

t.test('a signature has one form: S beyond the order of the group is refused', (t) => {
  const little = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const beyond = little(signature.subarray(32)) + order;
  const scalar = Buffer.from(beyond.toString(16).padStart(64, '0'), 'hex').reverse();
  t.notOk(verifyBytes(key, signed, Buffer.concat([signature.subarray(0, 32), scalar])));
  t.notOk(verifyBytes(key, signed, Buffer.alloc(64)), 'all zero');
  t.end();
});
