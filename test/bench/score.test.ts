import t from 'tap';
import { benchScore } from '../../bench/score.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(120_000);
const small = { seconds: 0.5, rounds: 1, connections: 8, rates: [100] };
const names = ['throughputRatio', 'cpuRatio', 'scoresPerSecond', 'cpuPerRequestAt100', 'p95At100', 'p95AtSaturation'];

t.test('a small run on embedded stores answers without errors and reports its ratios', async (t) => {
  const { table, ratios } = await benchScore({ ...small, embedded: true });
  t.equal(ratios['errors'], 0, table);
  for (const name of names) t.ok((ratios[name] ?? 0) > 0, name);
  t.match(table, /^echo /m);
  t.notMatch(table, /^pipeline /m, 'there is no empty pipeline without stores');
});

if (findStack(t, 'the bench on real stores') !== null) {
  t.test('a small run on real stores measures the service against the empty pipeline', async (t) => {
    const { table, ratios } = await benchScore({ ...small, embedded: false });
    t.equal(ratios['errors'], 0, table);
    for (const name of [...names, 'redisMicroseconds', 'wakeUpsPerRequestAt100']) t.ok((ratios[name] ?? 0) > 0, name);
    t.match(table, /^pipeline /m);
  });
}
