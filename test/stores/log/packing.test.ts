import fc from 'fast-check';
import t from 'tap';
import { packedBytes, packEntries, unpackEntries } from '../../../src/stores/log/packing.js';

const entries = fc.array(
  fc.record({ key: fc.string({ unit: 'grapheme' }), value: fc.uint8Array({ maxLength: 300 }) }),
  { maxLength: 20 },
);

t.test('what is packed unpacks to the same, and takes the room that was reckoned', (t) => {
  fc.assert(
    fc.property(entries, (given) => {
      const packed = packEntries(given);
      const unpacked = unpackEntries(packed);
      t.equal(
        packed.length,
        given.reduce((sum, entry) => sum + packedBytes(entry), 0),
      );
      t.same(
        unpacked.map(({ key, value }) => [key, [...value]]),
        given.map(({ key, value }) => [key, [...value]]),
      );
    }),
    { numRuns: 60 },
  );
  t.end();
});

t.test('a batch that was cut off does not unpack', (t) => {
  const packed = packEntries([{ key: 'key', value: new Uint8Array(20) }]);
  for (let length = 1; length < packed.length; length++)
    t.throws(() => unpackEntries(packed.subarray(0, length)), RangeError);
  t.end();
});
