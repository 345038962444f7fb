import t from 'tap';
import { benchReports } from '../../bench/reports.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(180_000);

t.test('a small run of the bench finds reports equal to their recount, also where sessions are copies', async (t) => {
  if (findStack(t, 'the bench of the reports') === null) return;
  const { table, ratios } = await benchReports({ rounds: 1, sessions: 600, recordedMax: 300 });
  t.match(ratios, { sessions: 600, differences: 0 }, table);
  for (const name of ['mix', 'sources', 'calibration', 'fairness']) t.ok((ratios[`${name}Ms`] ?? 0) > 0, name);
});
