import fc from 'fast-check';
import t from 'tap';
import { outcomeTypes, reasonClasses } from '../../../src/contract/outcome.js';
import { adjudicate, type StoredOutcome } from '../../../src/scoring/outcomes/adjudication-rules.js';

let statements = 0;
const event = (
  type: StoredOutcome['type'],
  occurredAtMs: number,
  reasonClass: StoredOutcome['reasonClass'] = null,
): StoredOutcome => ({ type, occurredAtMs, reasonClass, retracts: null, statement: (statements += 1) });
const retraction = (type: StoredOutcome['type'], occurredAtMs: number, atMs = 99): StoredOutcome => ({
  type: 'custom',
  occurredAtMs: atMs,
  reasonClass: null,
  retracts: { type, occurredAtMs },
  statement: (statements += 1),
});

const outcome = fc.record({
  type: fc.constantFrom(...outcomeTypes),
  occurredAtMs: fc.nat(50),
  reasonClass: fc.option(fc.constantFrom(...reasonClasses)),
  retracts: fc.option(fc.record({ type: fc.constantFrom(...outcomeTypes), occurredAtMs: fc.nat(50) }), { freq: 6 }),
});

t.test('only the class fraud counts against a respondent; fit, quality and unknown are neutral', (t) => {
  t.match(adjudicate([event('buyer_reject', 5, 'fraud')]), { fraud: true, clawback: true, atMs: 5 });
  for (const reasonClass of ['fit', 'quality', 'unknown', null] as const)
    t.equal(adjudicate([event('buyer_reject', 5, reasonClass)]), null);
  t.end();
});

t.test('absent reason data means unknown, which is neutral; a ban is a decision and needs none', (t) => {
  for (const type of ['reconciliation', 'buyer_reject'] as const) {
    t.equal(adjudicate([event(type, 5)]), null);
    t.equal(adjudicate([event('complete', 1), event(type, 5)]), null, 'but a completion before it no longer counts');
  }
  for (const reasonClass of ['fraud', null] as const)
    t.match(adjudicate([event('complete', 1), event('ban', 5, reasonClass)]), {
      fraud: true,
      clawback: false,
      atMs: 5,
    });
  for (const reasonClass of ['fit', 'quality', 'unknown'] as const)
    t.equal(adjudicate([event('ban', 5, reasonClass)]), null, 'a class that was given stands');
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
  t.end();
});

t.test('a quality outcome is no fraud and no credit, whatever else is said of the session', (t) => {
  for (const type of ['speeder', 'quality_term', 'dq', 'herring_result'] as const) {
    t.equal(adjudicate([event(type, 2)]), null);
    t.equal(adjudicate([event('complete', 1), event(type, 2)]), null);
    t.equal(adjudicate([event('complete', 1), event(type, 2, 'quality')]), null);
    t.match(adjudicate([event('complete', 1), event(type, 2, 'fraud')]), { fraud: true, clawback: false });
  }
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

t.test('a retraction can itself be taken back, and that as well', (t) => {
  const fraud = event('ban', 5, 'fraud');
  const first = retraction('ban', 5, 90);
  const second = retraction('custom', 90, 91);
  t.equal(adjudicate([fraud, first]), null);
  t.match(adjudicate([fraud, first, second]), { fraud: true });
  t.match(adjudicate([second, fraud, first]), { fraud: true }, 'in any order');
  t.equal(adjudicate([fraud, first, second, retraction('custom', 91, 92)]), null);
  t.equal(adjudicate([fraud, first, retraction('custom', 90, 89)]), null, 'only by one that happened later');
  t.end();
});

t.test('the latest statement of an event stands; one that gives no class undoes none', (t) => {
  const bare = event('buyer_reject', 5);
  const fraud = event('buyer_reject', 5, 'fraud');
  const fit = event('buyer_reject', 5, 'fit');
  t.match(adjudicate([bare, fraud]), { fraud: true });
  t.equal(adjudicate([bare, fraud, fit]), null);
  t.match(adjudicate([fraud, event('buyer_reject', 5)]), { fraud: true });
  const taken = retraction('buyer_reject', 5);
  t.equal(adjudicate([bare, fraud, taken]), null);
  t.match(
    adjudicate([bare, taken, event('buyer_reject', 5, 'fraud')]),
    { fraud: true },
    'said anew after a retraction',
  );
  t.end();
});

t.test('the order of arrival changes nothing where every event is stated once', (t) => {
  fc.assert(
    fc.property(
      fc.uniqueArray(outcome, {
        maxLength: 8,
        selector: ({ type, occurredAtMs, retracts }) => (retracts === null ? `${type}@${occurredAtMs}` : retracts),
      }),
      fc.infiniteStream(fc.nat()),
      (outcomes, random) => {
        const numbered = (list: readonly Omit<StoredOutcome, 'statement'>[]): StoredOutcome[] =>
          list.map((item, statement) => ({ ...item, statement }));
        const shuffled = outcomes
          .map((item) => ({ item, rank: random.next().value as number }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ item }) => item);
        return JSON.stringify(adjudicate(numbered(shuffled))) === JSON.stringify(adjudicate(numbered(outcomes)));
      },
    ),
  );
  t.end();
});
