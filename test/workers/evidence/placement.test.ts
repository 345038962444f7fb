import t from 'tap';
import { placeFindings } from '../../../workers/evidence/placement.js';
import { describeSignal } from '../../../workers/scoring/model.js';
import type { Weighed } from '../../../workers/scoring/risk.js';

const weighed = (code: string, applied: number, moved = applied !== 0): Weighed => ({
  signal: {
    code,
    rule: {
      axis: 'device',
      class: applied < 0 ? 'exculpatory' : 'correlate',
      severity: 'low',
      weight: applied,
      group: null,
      detail: `${code} was seen.`,
    },
    weight: applied,
    value: null,
  },
  applied,
  discounted: applied,
  moved,
});

t.test('the place and strength follow from what counted, the strongest first', (t) => {
  const { evidence, classification, reasons } = placeFindings(
    [weighed('a', 0), weighed('b', 0.4), weighed('c', 3), weighed('d', -1.2), weighed('e', 2, false)],
    describeSignal,
  );
  const short = (list: 'against' | 'for' | 'notes') =>
    evidence[list].map(({ code, strength }) => `${code} ${strength}`);
  t.same(
    [short('against'), short('for'), short('notes')],
    [['c strong', 'b weak'], ['d moderate'], ['e none', 'a none']],
  );
  t.same(
    classification.map(({ code, list }) => `${code} ${list}`),
    ['c against', 'e notes', 'd for', 'b against', 'a notes'],
  );
  t.same(
    reasons.map(({ code, scored }) => [code, scored]),
    [
      ['c', true],
      ['e', false],
      ['d', true],
      ['b', true],
      ['a', false],
    ],
  );
  t.end();
});

t.test('a finding that declares a program stands before stronger statistics, a weak one does not', (t) => {
  const declared = weighed('declared', 2);
  const rule = { ...declared.signal.rule, group: 'automation', severity: 'high' } as const;
  const over = (weight: number): Weighed => ({ ...declared, signal: { ...declared.signal, rule, weight } });
  const first = (each: Weighed) => placeFindings([weighed('c', 3), each], describeSignal).evidence.against[0]?.code;
  t.equal(first(over(4)), 'declared');
  t.equal(first(over(1)), 'c');
  t.end();
});
