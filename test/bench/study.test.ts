import t from 'tap';
import { benchStudy } from '../../bench/study.js';

t.setTimeout(180_000);

t.test('a small run of the bench lets honest visitors in, and each complete counts once', async (t) => {
  const { table, ratios } = await benchStudy({ traffic: 60 });
  t.match(table, /honest/);
  t.ok((ratios['completes'] ?? 0) > 0, table);
  t.ok((ratios['honestLost'] ?? 1) < 0.5, table);
});
