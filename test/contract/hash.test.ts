import t from 'tap';
import { hashText, mix, toHex } from '../../src/contract/hash.js';

t.test('hashes are stable, seeded, 32 bits wide and spread', (t) => {
  t.equal(hashText('a'), hashText('a'));
  t.not(hashText('a'), hashText('b'));
  t.not(hashText('a'), hashText('a', 1));
  t.equal(toHex(0), '00000000');
  t.equal(toHex(0xffffffff), 'ffffffff');
  t.equal(new Set(Array.from({ length: 10_000 }, (_, number) => mix(number))).size, 10_000, 'mixing loses nothing');
  t.end();
});
