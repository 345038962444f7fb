import t from 'tap';
import { benchThresholds } from '../../bench/thresholds.js';

t.setTimeout(180_000);

t.test('a small run of the bench answers without errors and reports its figures', async (t) => {
  const { table, ratios } = await benchThresholds({ seconds: 0.1, rounds: 1, sessions: 1_000 });
  t.equal(ratios['errors'], 0, table);
  for (const name of ['embeddedSimulateMs', 'embeddedRecommendMs', 'embeddedScoreConcurrent'])
    t.ok((ratios[name] ?? 0) > 0, name);
});
