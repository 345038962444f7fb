import t from 'tap';
import { makeInputs } from '../../bench/counter-sessions.js';

t.test('sessions of the bench are spread over its respondents, addresses and studies', async (t) => {
  for (const label of ['round 0', 'round 1']) {
    const sessions = makeInputs(label, 2_000, false);
    const distinct = (name: 'respondent' | 'address' | 'scope'): number =>
      new Set(sessions.map(({ score }) => score[name])).size;
    t.ok(distinct('respondent') > 1_980, `${label}: ${distinct('respondent')} respondents`);
    t.ok(distinct('address') > 1_980, `${label}: ${distinct('address')} addresses`);
    t.equal(distinct('scope'), 50);
  }
});
