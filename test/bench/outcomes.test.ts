import t from 'tap';
import { benchOutcomes } from '../../bench/outcomes.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(120_000);
const stack = findStack(t, 'the bench of outcomes');

if (stack !== null) {
  t.test('a small run of the bench works every event off and reports its figures', async (t) => {
    const { table, ratios } = await benchOutcomes({ rounds: 1, warmUpRounds: 0, days: 2, events: 60 });
    t.equal(ratios['missing'], 0, table);
    for (const name of ['bare', 'accepted', 'workedOff', 'both', 'acceptedCpu', 'workedOffCpu'])
      t.type(ratios[name], 'number', name);
  });
}
