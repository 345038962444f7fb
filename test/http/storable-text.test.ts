import fc from 'fast-check';
import t from 'tap';
import { findUnstorable } from '../../src/kernel/body.js';

t.test('NUL and halves of surrogate pairs are found wherever they stand', (t) => {
  t.match(findUnstorable({ a: [{ 'b/c': 'x\u0000' }] }, ''), { path: '/a/0/b~1c' });
  t.match(findUnstorable({ a: '\ud83d' }, ''), { path: '/a' });
  t.match(findUnstorable({ 'k\u0000': 1 }, ''), { path: '/k\u0000' });
  t.equal(findUnstorable({ a: '😀 ü', b: [1, null, true] }, ''), null);
  t.end();
});

t.test('whatever is not found survives a trip through UTF-8', (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        (text) => findUnstorable(text, '') !== null || Buffer.from(text).toString() === text,
      ),
    ),
  );
  t.end();
});
