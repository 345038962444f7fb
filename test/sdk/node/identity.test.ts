import fc from 'fast-check';
import { createHash } from 'node:crypto';
import t from 'tap';
import { hashIdentity, ipPrefix } from '../../../sdk/node/index.js';
import { readRepositoryFile } from '../../helpers/repository.js';

interface Vectors {
  readonly hashes: readonly {
    readonly about: string;
    readonly salt: string;
    readonly value: string;
    readonly hash: string;
  }[];
  readonly prefixes: readonly { readonly address: string; readonly prefix: string }[];
}
const vectors = JSON.parse(readRepositoryFile('docs/how-to/hashing-vectors.json')) as Vectors;

t.test('every published vector holds', (t) => {
  for (const { about, salt, value, hash } of vectors.hashes) t.equal(hashIdentity(salt, value), hash, about);
  for (const { address, prefix } of vectors.prefixes) t.equal(ipPrefix(address), prefix, address);
  t.ok(vectors.hashes.length >= 10 && vectors.prefixes.length >= 8);
  t.end();
});

t.test('the hash is SHA-256 of the bytes of salt, bar and value, whatever they are', (t) => {
  const text = fc.string({ minLength: 1, unit: 'grapheme' });
  const salts = fc.string({ minLength: 16, unit: 'grapheme' });
  fc.assert(
    fc.property(salts, text, (salt, value) => {
      const bytes = Buffer.concat([Buffer.from(salt), Buffer.from([0x7c]), Buffer.from(value)]);
      return hashIdentity(salt, value) === createHash('sha256').update(bytes).digest('hex');
    }),
  );
  t.end();
});

t.test('two IPv6 addresses share a prefix exactly when their first 48 bits are the same', (t) => {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  const address = fc.array(group, { minLength: 8, maxLength: 8 });
  const text = (groups: readonly number[]) => groups.map((value) => value.toString(16)).join(':');
  const isMapped = (groups: readonly number[]) => groups.slice(0, 5).every((value) => value === 0);
  fc.assert(
    fc.property(address, address, fc.boolean(), (one, other, isSame) => {
      const second = isSame ? [...one.slice(0, 3), ...other.slice(3)] : other;
      fc.pre(!isMapped(one) && !isMapped(second));
      const same = text(one.slice(0, 3)) === text(second.slice(0, 3));
      return (ipPrefix(text(one)) === ipPrefix(text(second))) === same;
    }),
  );
  t.end();
});

t.test('nothing is hashed where there is nothing to hash, and no prefix is made of what is no address', (t) => {
  const salt = 'a salt of your own';
  for (const short of ['', 'undefined', '15 characters..'])
    t.throws(() => hashIdentity(short, 'x'), { code: 'INVALID_OPTION', message: /salt/ }, short);
  for (const value of ['', 'undefined', 'null', 'NaN', '[object Object]', '[object Promise]'])
    t.throws(() => hashIdentity(salt, value), { code: 'INVALID_OPTION', message: /leave the field away/ }, value);
  t.doesNotThrow(() => hashIdentity(salt, 'nullable'));
  for (const text of ['', '192.0.2', '192.0.2.1/24', 'fe80::1%eth0', 'example.com'])
    t.throws(() => ipPrefix(text), { code: 'INVALID_OPTION' }, text);
  t.end();
});
