import t from 'tap';
import { benchScore } from '../../bench/score.js';

t.test('a small run of the bench answers without errors and reports its ratios', async (t) => {
  const { table, ratios } = await benchScore({ seconds: 0.5, rounds: 1, connections: 8 });
  t.equal(ratios['errors'], 0, table);
  for (const name of ['throughputRatio', 'cpuRatio', 'scoresPerSecond', 'p50Ms', 'p95Ms', 'p99Ms'])
    t.ok((ratios[name] ?? 0) > 0, name);
});
