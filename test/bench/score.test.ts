import t from 'tap';
import { benchOverload } from '../../bench/overload.js';
import { benchScore } from '../../bench/score.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(240_000);
const small = {
  seconds: 0.5,
  rounds: 1,
  warm: { requests: 1_000, seconds: 0.5 },
  connections: 8,
  rates: [100],
  roles: false,
};
const names = ['throughputRatio', 'cpuRatio', 'scoresPerSecond', 'cpuPerRequestAt100', 'p95At100', 'p95AtSaturation'];

t.test('a small run on embedded stores answers without errors and reports its ratios', async (t) => {
  const { table, ratios } = await benchScore({ ...small, embedded: true });
  t.equal(ratios['errors'], 0, table);
  for (const name of names) t.ok((ratios[name] ?? 0) > 0, name);
  t.ok((ratios['allocatedKilobytes'] ?? 0) > 10, table);
  t.match(table, /^\| echo /m);
  t.match(table, /^\| first minute /m);
  t.notMatch(table, /^\| pipeline /m, 'there is no pipeline without stores');
});

t.test('a small overload is answered or refused with a time to come again, and all are counted', async (t) => {
  const warm = { requests: 200, seconds: 2 };
  const { table, ratios } = await benchOverload({ seconds: 0.5, rounds: 1, warm, embedded: true });
  t.equal(ratios['errors'], 0, table);
  for (const name of ['usefulShare', 'backSeconds']) t.ok((ratios[name] ?? NaN) >= 0, name);
  t.match(table, /^\| useful share of saturation /m);
});

/**
 * What the service may cost in times of the mandatory pipeline, CPU and wake-ups of all threads a request, in a run as short as this one, while code is
 * still being compiled. docs/performance.md has the figures of a long one. Lower them when the service gets cheaper.
 */
const committed = { cpuClosedLoop: 4, cpuAt100: 3, wakeUpsAt100: 1.8 };

if (findStack(t, 'the bench on real stores') !== null) {
  t.test(
    'a small run on real stores: the service costs at most as many times the mandatory pipeline as was committed',
    async (t) => {
      const { table, ratios } = await benchScore({ ...small, rounds: 3, embedded: false });
      const { cpuRatio = 0, cpuNoise = 0, cpuPerRequestAt100 = 0, cpuNoiseAt100 = 0 } = ratios;
      const { wakeUpsPerRequestAt100 = 0 } = ratios;
      t.ok(
        cpuRatio <= committed.cpuClosedLoop * (1 + cpuNoise),
        `${cpuRatio} (noise ${cpuNoise}) closed loop\n${table}`,
      );
      t.ok(
        cpuPerRequestAt100 <= committed.cpuAt100 * (1 + cpuNoiseAt100),
        `${cpuPerRequestAt100} (noise ${cpuNoiseAt100}) at 100/s\n${table}`,
      );
      t.ok(
        wakeUpsPerRequestAt100 <= committed.wakeUpsAt100 * (1 + cpuNoiseAt100),
        `${wakeUpsPerRequestAt100} wake-ups at 100/s\n${table}`,
      );
      t.equal(ratios['errors'], 0, table);
      for (const name of [...names, 'redisMicroseconds', 'wakeUpsPerRequestAt100']) t.ok((ratios[name] ?? 0) > 0, name);
      t.match(table, /^\| pipeline /m);
    },
  );
}
