import t from 'tap';
import { compareVerdicts, renderReplay } from '../../src/cli/explanation-text.js';
import type { ComparedVerdict } from '../../src/contract/explanation.js';
import { explainFacts } from '../../workers/evidence/explain.js';
import { cleanFacts } from '../helpers/facts.js';

const recorded: ComparedVerdict = {
  modelVersion: 'aaaa',
  score: 60,
  uncapped: 83,
  caps: ['uncorroborated'],
  recommendation: 'review',
  verdictClass: 'unknown',
  duplicateBand: 'none',
  classification: [
    { code: 'declared_bot', list: 'against', strength: 'strong' },
    { code: 'geo_unavailable', list: 'notes', strength: 'none' },
  ],
};

t.test('every difference between two verdicts has a line of its own, and equal ones have none', (t) => {
  t.same(compareVerdicts(recorded, { ...recorded, modelVersion: 'bbbb' }), []);
  t.same(
    compareVerdicts(recorded, {
      ...recorded,
      score: 30,
      caps: [],
      recommendation: 'allow',
      classification: [
        { code: 'declared_bot', list: 'notes', strength: 'none' },
        { code: 'steady_hand', list: 'for', strength: 'weak' },
      ],
    }),
    [
      'score: 60 -> 30',
      'recommendation: review -> allow',
      'caps: uncorroborated -> none',
      'declared_bot: against, strong -> notes',
      'geo_unavailable: notes -> not found',
      'steady_hand: not found -> for, weak',
    ],
  );
  t.end();
});

t.test('a replay says what differs, that nothing does, or that nothing is on record', (t) => {
  const present = explainFacts(cleanFacts());
  t.match(renderReplay(recorded, present), /the model that scored was aaaa\):\n {2}score: 60 -> 0\n/);
  t.match(renderReplay(present.verdict, present), /^Nothing differs under the present model/);
  t.match(renderReplay(null, present), /^The original verdict is not recorded/);
  t.end();
});
