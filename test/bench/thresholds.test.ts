import t from 'tap';
import { benchThresholds } from '../../bench/thresholds.js';

t.setTimeout(180_000);

t.test('a small run of the bench answers without errors and reports its figures', async (t) => {
  const { table, ratios } = await benchThresholds({ seconds: 1, rounds: 2, sessions: 50_000 });
  t.equal(ratios['errors'], 0, table);
  for (const name of ['embeddedSimulateMs', 'embeddedRecommendMs', 'embeddedScoreConcurrent'])
    t.ok((ratios[name] ?? 0) > 0, name);
});
