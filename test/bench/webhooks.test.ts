import t from 'tap';
import { benchWebhooks } from '../../bench/webhooks.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(120_000);
if (findStack(t, 'the bench of webhooks') !== null) {
  t.test('a small run of the bench delivers everything and reports its figures', async (t) => {
    const { table, ratios } = await benchWebhooks({ seconds: 0.2, deliveries: 40, due: 40 });
    t.equal(ratios['missing'], 0, table);
    for (const name of [
      'deliveriesPerSecond',
      'toOnePerSecond',
      'toBare',
      'p99Ms',
      'p99MsWithHanging',
      'perSecondWithDue',
    ])
      t.type(ratios[name], 'number', name);
  });
}
