import fc from 'fast-check';
import t from 'tap';
import { createBatchSigner, verifySeal, type Seal } from '../../src/crypto/batch-signer.js';
import { deriveSigningKey } from '../../src/crypto/master-key.js';

const key = deriveSigningKey(new Uint8Array(32).fill(7), 'test');
const message = (n: number): Uint8Array => new TextEncoder().encode(`message ${n}`);
const sealAll = (count: number): Promise<Seal[]> => {
  const signer = createBatchSigner(key);
  return Promise.all(Array.from({ length: count }, (_, n) => signer.seal(message(n))));
};

t.test('every message of a batch verifies alone, whatever the size of the batch', async (t) => {
  for (const count of [1, 2, 3, 5, 8, 13, 64, 65, 150]) {
    const seals = await sealAll(count);
    t.ok(
      seals.every((seal, n) => verifySeal(key, message(n), seal)),
      `${count} messages`,
    );
  }
});

t.test('messages that arrive together share a signature', async (t) => {
  const seals = await sealAll(40);
  t.equal(new Set(seals.map((seal) => Buffer.from(seal.signature).toString('hex'))).size, 1);
});

t.test('a seal of another message, another key or a changed byte does not verify', async (t) => {
  const seals = await sealAll(11);
  const other = deriveSigningKey(new Uint8Array(32).fill(8), 'test');
  await t.resolves(
    fc.assert(
      fc.asyncProperty(fc.nat(10), fc.nat(10), fc.nat(500), async (mine, theirs, position) => {
        const seal = seals[mine];
        if (seal === undefined) return false;
        const flipped = (bytes: Uint8Array): Uint8Array =>
          bytes.map((byte, index) => (index === position % bytes.length ? byte ^ 1 : byte));
        const forged: boolean[] = [
          mine !== theirs && verifySeal(key, message(theirs), seal),
          verifySeal(other, message(mine), seal),
          verifySeal(key, flipped(message(mine)), seal),
          verifySeal(key, message(mine), { ...seal, path: flipped(seal.path) }),
          verifySeal(key, message(mine), { ...seal, signature: flipped(seal.signature) }),
          verifySeal(key, message(mine), { ...seal, path: new Uint8Array([...seal.path, 0]) }),
          verifySeal(key, message(mine), { ...seal, index: seal.index + 1 }) && seal.index + 1 !== mine,
        ];
        return forged.every((accepted) => !accepted);
      }),
    ),
  );
});
