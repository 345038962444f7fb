import t from 'tap';
import { benchOverload } from '../../bench/overload.js';
import { benchScore } from '../../bench/score.js';
import { exceedsCommitted } from '../../bench/score-targets.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(240_000);
const small = {
  seconds: 0.1,
  rounds: 1,
  warm: { requests: 20, seconds: 0.5 },
  connections: 8,
  rates: [100],
  roles: false,
};
const names = ['throughputRatio', 'cpuRatio', 'scoresPerSecond', 'cpuPerRequestAt100', 'p95At100', 'p95AtSaturation'];

t.test('a small run on embedded stores answers and reports its ratios', async (t) => {
  const { table, ratios } = await benchScore({ ...small, embedded: true });
  t.ok((ratios['scoresPerSecond'] ?? 0) > 0, table);
  for (const name of ['errors', ...names, 'allocatedKilobytes']) t.type(ratios[name], 'number', name);
  t.match(table, /^\| echo /m);
  t.match(table, /^\| first minute /m);
  t.notMatch(table, /^\| pipeline /m, 'there is no pipeline without stores');
});

t.test('a small overload is answered or refused with a time to come again, and all are counted', async (t) => {
  const warm = { requests: 20, seconds: 2 };
  const { table, ratios } = await benchOverload({ seconds: 0.1, rounds: 1, warm, embedded: true });
  t.equal(ratios['errors'], 0, table);
  for (const name of ['usefulShare', 'backSeconds']) t.type(ratios[name], 'number', name);
  t.match(table, /^\| useful share of saturation /m);
});

if (findStack(t, 'the bench on real stores') !== null) {
  t.test('a small run on real stores is compared with the mandatory pipeline', async (t) => {
    const { table, ratios } = await benchScore({ ...small, embedded: false });
    t.ok((ratios['scoresPerSecond'] ?? 0) > 0, table);
    for (const name of ['errors', ...names, 'redisMicroseconds', 'wakeUpsPerRequestAt100'])
      t.type(ratios[name], 'number', name);
    t.match(table, /^\| pipeline /m);
  });
}

t.test('CPU and wake-ups above what was committed are named, noise of the run allowed for', (t) => {
  const within = { cpuRatio: 4, cpuPerRequestAt100: 3, wakeUpsPerRequestAt100: 1.8 };
  t.same(exceedsCommitted(within, [100]), []);
  t.same(exceedsCommitted({ ...within, cpuRatio: 4.4, cpuNoise: 0.1 }, [100]), []);
  t.match(exceedsCommitted({ ...within, cpuRatio: 4.5, cpuNoise: 0.1 }, [100]), [/^cpuRatio is 4\.5/]);
  t.match(exceedsCommitted({ ...within, wakeUpsPerRequestAt100: 2 }, [100]), [/^wakeUpsPerRequestAt100 is 2/]);
  t.match(exceedsCommitted(within, [100, 200]), [/^cpuPerRequestAt200/, /^wakeUpsPerRequestAt200/], 'a missing figure');
  t.end();
});
