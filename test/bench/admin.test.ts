import t from 'tap';
import { benchAdmin } from '../../bench/admin.js';

t.test('a small run of the bench provisions, lists and reports its ratios', async (t) => {
  const { ratios, table } = await benchAdmin({ projects: 12, calls: 3 });
  t.equal(ratios['projects'], 12, table);
  for (const name of ['provisionRatio', 'listRatio']) t.ok((ratios[name] ?? 0) > 0, name);
});
