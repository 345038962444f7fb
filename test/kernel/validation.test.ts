import fc from 'fast-check';
import t from 'tap';
import { nearestName } from '../../src/kernel/validation.js';

t.test('the nearest name is the one that a slip of the finger meant', (t) => {
  const names = ['reviewLow', 'blockThreshold', 'stepUpEnabled'];
  t.equal(nearestName('reviewLo', names), 'reviewLow');
  t.equal(nearestName('blockTreshold', names), 'blockThreshold');
  t.equal(nearestName('REVIEWLOW', names), 'reviewLow');
  t.equal(nearestName('zzzzzz', names), null);
  t.equal(nearestName('x', []), null);
  t.end();
});

t.test('hostile names never throw and never take long', (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.string({ maxLength: 5_000 }), (name) =>
        [null, 'reviewLow'].includes(nearestName(name, ['reviewLow'])),
      ),
    ),
  );
  t.end();
});
