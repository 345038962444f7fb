import t from 'tap';
import fc from 'fast-check';
import { Reader, type Response } from 'maxmind';
import { writeMmdb, type MmdbValue } from './mmdb.js';

const read = (file: Buffer, address: string): unknown => new Reader<Response>(file).get(address);

t.test('a written file answers with the most specific network of an address', (t) => {
  const file = writeMmdb({
    databaseType: 'Test',
    networks: {
      '8.0.0.0/8': { at: 'eight' },
      '8.8.8.0/24': { at: 'eights' },
      '8.8.8.8/32': { at: 'one' },
      '2606::/16': { at: 'six' },
      '2606:4700::/32': { at: 'narrow' },
    },
  });
  t.same(read(file, '8.1.1.1'), { at: 'eight' });
  t.same(read(file, '8.8.8.9'), { at: 'eights' });
  t.same(read(file, '8.8.8.8'), { at: 'one' });
  t.equal(read(file, '9.0.0.1'), null);
  t.same(read(file, '2606::1'), { at: 'six' });
  t.same(read(file, '2606:4700::1'), { at: 'narrow' });
  t.equal(read(file, '2607::1'), null);
  t.end();
});

t.test('a file of IPv4 alone is read too, and so is an empty one', (t) => {
  const file = writeMmdb({ databaseType: 'Test', ipVersion: 4, networks: { '1.0.0.0/8': 'one' } });
  t.equal(read(file, '1.2.3.4'), 'one');
  t.equal(read(file, '2.2.3.4'), null);
  t.equal(read(writeMmdb({ databaseType: 'Test', networks: {} }), '1.2.3.4'), null);
  t.throws(() => writeMmdb({ databaseType: 'Test', ipVersion: 4, networks: { '2606::/16': 'six' } }), /IPv4 file/);
  t.end();
});

t.test('every value comes back as it was written', (t) => {
  const { value } = fc.letrec<{ value: MmdbValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ maxLength: 400, unit: 'grapheme' }),
      fc.boolean(),
      fc.nat({ max: 4_294_967_295 }),
      fc.array(tie('value'), { maxLength: 40 }),
      fc.dictionary(fc.stringMatching(/^[a-z]{1,40}$/), tie('value'), { maxKeys: 40 }),
    ),
  }));
  fc.assert(
    fc.property(value, (written) => {
      const file = writeMmdb({ databaseType: 'Test', networks: { '1.0.0.0/8': { written } } });
      return JSON.stringify(read(file, '1.2.3.4')) === JSON.stringify({ written });
    }),
  );
  t.pass('held for every generated value');
  t.end();
});
