import t from 'tap';
import { benchStores } from '../../bench/stores.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(120_000);
const stack = findStack(t, 'the bench of the real stores');

if (stack !== null) {
  t.test('a small run of the bench answers without errors and reports its figures', async (t) => {
    const { table, ratios } = await benchStores({ seconds: 1, receipts: 2_000 });
    t.equal(ratios['errors'], 0, table);
    for (const name of ['scoresPerSecond', 'eventsPerSecond', 'receiptsPerSecond', 'bareRowsPerSecond', 'rssMegabytes'])
      t.ok((ratios[name] ?? 0) > 0, name);
  });
}
