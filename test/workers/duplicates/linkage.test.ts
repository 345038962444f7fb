import t from 'tap';
import fc from 'fast-check';
import { components } from '../../../workers/duplicates/sketch.js';
import { createLookMatch } from '../../../workers/duplicates/linkage.js';
import { candidateOf as candidate, ownSketch as own, termsOf as terms } from '../../helpers/candidates.js';
import { scoredAtMs } from '../../helpers/facts.js';

t.test('another system or a younger browser is another device', (t) => {
  const likeness = (over: object, atMs = scoredAtMs - 1) =>
    createLookMatch(own, terms(2_000, 2), scoredAtMs)(candidate({ atMs, sketch: { ...own, ...over } }));
  t.ok(likeness({}) > 0.9);
  t.equal(likeness({ osFamily: 'macos' }), 0);
  t.equal(likeness({ browserMajor: 150 }), 0, 'the browser’s version went down');
  t.ok(likeness({ browserMajor: 148 }) > 0.9, 'an update is no contradiction');
  t.ok(likeness({ browser: 'firefox', browserMajor: 200 }) > 0.9, 'another browser on the device');
  t.ok(likeness({ osFamily: null, browser: null }) > 0.9, 'unknown is no contradiction');
  t.end();
});

t.test('each term that differs makes one device less probable, and a common look less than a rare one', (t) => {
  const likeness = (changed: number, count = 2) =>
    createLookMatch(
      own,
      terms(2_000, count),
      scoredAtMs,
    )(
      candidate({
        sketch: {
          ...own,
          terms: own.terms.map((term, index) => (index < changed && term !== null ? 'ffffffff' : term)),
        },
      }),
    );
  for (let changed = 0; changed < components.length; changed += 1) t.ok(likeness(changed + 1) <= likeness(changed));
  fc.assert(fc.property(fc.integer({ min: 2, max: 1_999 }), (count) => likeness(0, count + 1) <= likeness(0, count)));
  t.equal(createLookMatch(own, null, scoredAtMs)(candidate({ sketch: null })), 0);
  t.ok(createLookMatch(own, null, scoredAtMs)(candidate()) < 0.9, 'unknown frequencies leave it open');
  t.end();
});
