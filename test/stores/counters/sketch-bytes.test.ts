import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { pack } from 'msgpackr';
import t from 'tap';
import { packSketch, readSketch } from '../../../src/stores/counters/counting/sketch-bytes.js';

const hash = fc.nat({ max: 0xffffffff }).map((value) => value.toString(16).padStart(8, '0'));
const text = fc.oneof(fc.constantFrom('windows', 'chrome', ''), fc.string({ maxLength: 40 }));
const anySketch = fc.record(
  {
    terms: fc.array(fc.oneof({ weight: 9, arbitrary: hash }, fc.constant(null), text), { maxLength: 24 }),
    osFamily: fc.option(text),
    browser: fc.option(text),
    browserMajor: fc.option(fc.oneof(fc.nat({ max: 300 }), fc.nat(), fc.constant(1.5))),
  },
  { noNullPrototype: true },
);

t.test('any sketch comes back as it was, wherever it stands in a record', async (t) => {
  fc.assert(
    fc.property(anySketch, fc.string(), (sketch, before) => {
      const packed = packSketch(sketch);
      const record = Buffer.concat([Buffer.from(before), packed, Buffer.from('behind it')]);
      const from = Buffer.byteLength(before);
      deepStrictEqual(readSketch(record, from, from + packed.length), sketch);
    }),
    { numRuns: 1_000 },
  );
  t.equal(readSketch(Buffer.from('|'), 1, 1), null, 'no bytes, no sketch');
});

t.test('what is no sketch throws and is not made one', async (t) => {
  for (const packed of [pack('text'), pack(7)]) t.throws(() => readSketch(Buffer.from(packed), 0, packed.length));
});
