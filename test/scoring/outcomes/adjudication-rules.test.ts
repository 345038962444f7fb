import fc from 'fast-check';
import t from 'tap';
import { outcomeTypes, reasonClasses } from '../../../src/contract/outcome.js';
import { adjudicate, type StoredOutcome } from '../../../src/scoring/outcomes/adjudication-rules.js';

const event = (
  type: StoredOutcome['type'],
  occurredAtMs: number,
  reasonClass: StoredOutcome['reasonClass'] = null,
): StoredOutcome => ({ type, occurredAtMs, reasonClass, retracts: null });
const retraction = (type: StoredOutcome['type'], occurredAtMs: number, atMs = 99): StoredOutcome => ({
  type: 'custom',
  occurredAtMs: atMs,
  reasonClass: null,
  retracts: { type, occurredAtMs },
});

const outcome: fc.Arbitrary<StoredOutcome> = fc.record({
  type: fc.constantFrom(...outcomeTypes),
  occurredAtMs: fc.nat(50),
  reasonClass: fc.option(fc.constantFrom(...reasonClasses)),
  retracts: fc.option(fc.record({ type: fc.constantFrom(...outcomeTypes), occurredAtMs: fc.nat(50) }), { freq: 6 }),
});

t.test('only the class fraud counts against a respondent; fit, quality and unknown are neutral', (t) => {
  t.match(adjudicate([event('buyer_reject', 5, 'fraud')]), { fraud: true, clawback: true, atMs: 5 });
  for (const reasonClass of ['fit', 'quality', 'unknown', null] as const)
    t.equal(adjudicate([event('buyer_reject', 5, reasonClass)]), null);
  t.match(adjudicate([event('ban', 5)]), { fraud: true, clawback: false });
  t.equal(adjudicate([event('ban', 5, 'fit')]), null);
  t.end();
});

t.test('a completion is honest until it is reversed; a reversal for fraud counts from its own time', (t) => {
  t.match(adjudicate([event('complete', 1)]), { fraud: false, atMs: 1 });
  t.equal(adjudicate([event('complete', 1), event('reconciliation', 9)]), null);
  t.match(adjudicate([event('complete', 1), event('reconciliation', 9, 'fraud')]), {
    fraud: true,
    clawback: true,
    atMs: 9,
  });
  t.match(adjudicate([event('complete', 1), event('dq', 2), event('speeder', 2)]), { fraud: false });
  t.end();
});

t.test('what is taken back is as if it had never come, even when the retraction comes first', (t) => {
  t.match(adjudicate([retraction('buyer_reject', 5), event('complete', 1), event('buyer_reject', 5, 'fraud')]), {
    fraud: false,
    atMs: 1,
  });
  t.equal(adjudicate([event('complete', 1), retraction('complete', 1)]), null);
  t.match(adjudicate([event('complete', 1), retraction('complete', 2)]), { fraud: false }, 'another event stays');
  t.end();
});

t.test('the order of arrival changes nothing, and neither does a repeated event', (t) => {
  fc.assert(
    fc.property(fc.array(outcome, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (outcomes, random) => {
      const shuffled = [...outcomes, ...outcomes]
        .map((item) => ({ item, rank: random.next().value as number }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ item }) => item);
      return JSON.stringify(adjudicate(shuffled)) === JSON.stringify(adjudicate(outcomes));
    }),
  );
  t.end();
});
