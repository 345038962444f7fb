import t from 'tap';
import { benchStores } from '../../bench/stores.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(120_000);
const stack = findStack(t, 'the bench of the real stores');

if (stack !== null) {
  t.test('a small run of the bench answers and reports its figures', async (t) => {
    const { table, ratios } = await benchStores({ seconds: 0.2, receipts: 500 });
    for (const name of ['scoresPerSecond', 'eventsPerSecond']) t.ok((ratios[name] ?? 0) > 0, table);
    for (const name of ['errors', 'receiptsPerSecond', 'bareRowsPerSecond', 'rssMegabytes'])
      t.type(ratios[name], 'number', name);
  });
}
