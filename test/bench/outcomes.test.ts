import t from 'tap';
import { benchOutcomes } from '../../bench/outcomes.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(120_000);
const stack = findStack(t, 'the bench of outcomes');

if (stack !== null) {
  t.test('a small run of the bench works every event off and reports its figures', async (t) => {
    const { table, ratios } = await benchOutcomes({ rounds: 1, warmUpRounds: 0, days: 3, events: 1_000 });
    t.equal(ratios['missing'], 0, table);
    for (const name of ['bare', 'accepted', 'workedOff', 'both', 'acceptedCpu', 'workedOffCpu'])
      t.ok((ratios[name] ?? 0) > 0, `${name}: ${table}`);
  });
}
