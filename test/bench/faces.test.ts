import t from 'tap';
import { benchFaces } from '../../bench/faces.js';

t.test('a small run of the bench finds everybody it looks for and reports its ratios', async (t) => {
  const { ratios, table } = await benchFaces({ known: 5_000, rounds: 1, queries: 60 });
  t.equal(ratios['templates'], 5_000);
  t.ok((ratios['recall'] ?? 0) >= 0.99, table);
  t.ok((ratios['recallOf'] ?? 0) >= 30, 'half of the queries are copies of somebody');
  for (const name of ['p50Ms', 'p99Ms', 'exactP50Ms', 'exactRatio', 'bytesPerTemplate'])
    t.ok((ratios[name] ?? 0) > 0, name);
});
