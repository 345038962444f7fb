import t from 'tap';
import type { RecordedVerdict } from '../../../src/contract/pool.js';
import { describeChange, findChange, scoreStep } from '../../../src/scoring/verdict-changes/verdict-change.js';
import { cleanVerdict } from '../../helpers/records.js';

const verdict = (score: number, recommendation: RecordedVerdict['recommendation'] = 'allow'): RecordedVerdict => ({
  ...cleanVerdict,
  score,
  recommendation,
});
const low = verdict(20);
const blocked = verdict(80, 'block');
const look = (over: Partial<Parameters<typeof findChange>[0]>) =>
  findChange({ known: low, called: low, before: low, now: low, ...over });

t.test('a look that finds the same verdict tells nothing', (t) => {
  t.equal(look({}), null);
  t.equal(look({ now: verdict(20 + scoreStep - 1) }), null, 'nor one that moved the score a little');
  t.end();
});

t.test('another recommendation, or a score that moved a step, is told', (t) => {
  t.equal(look({ now: blocked }), 'history');
  t.equal(look({ now: verdict(20 + scoreStep) }), 'history', 'upwards');
  t.equal(look({ now: verdict(20 - scoreStep) }), 'history', 'downwards');
  t.equal(look({ now: verdict(21, 'review') }), 'history', 'by a single point across a threshold');
  t.end();
});

t.test('another release alone changes nothing, and history is told under any release', (t) => {
  t.equal(look({ before: blocked, now: blocked }), null, 'the rules changed');
  t.equal(look({ before: verdict(40, 'review'), now: blocked }), 'history', 'both changed');
  t.equal(look({ known: blocked, called: blocked, before: low, now: blocked }), null, 'what is known stays');
  t.end();
});

t.test('a later call that said something else is told, with what history made of it since', (t) => {
  t.equal(look({ called: blocked, before: blocked, now: blocked }), 'call');
  t.equal(look({ called: verdict(22), before: verdict(22), now: verdict(22) }), null);
  t.equal(look({ called: verdict(50, 'review'), before: verdict(50, 'review'), now: blocked }), 'history');
  t.equal(
    look({ called: blocked, before: blocked, now: low }),
    null,
    'history took the change back before it was told',
  );
  t.end();
});

t.test('a change goes from what was known to what is true now, with the codes that differ', (t) => {
  const finding = (code: string, list: 'against' | 'for' | 'notes', strength: 'weak' | 'strong' = 'weak') => ({
    code,
    list,
    strength,
  });
  const from = {
    ...low,
    classification: [finding('stays', 'for'), finding('grows', 'against'), finding('goes', 'for')],
  };
  const classification = [
    finding('comes', 'against', 'strong'),
    finding('grows', 'against', 'strong'),
    finding('stays', 'for'),
    finding('said', 'notes'),
  ];
  t.same(describeChange(from, { ...blocked, classification }), {
    from: { score: 20, recommendation: 'allow' },
    to: { score: 80, recommendation: 'block' },
    reasons: ['comes', 'grows', 'goes'],
  });
  t.end();
});
