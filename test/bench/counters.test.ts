import t from 'tap';
import { benchCounters } from '../../bench/counters.js';
import { startRedis } from '../stores/counters/redis-server.js';

t.setTimeout(120_000);
const probe = await startRedis();
await probe?.close();

t.test(
  'a small run of the bench reports rates, bytes and what known devices cost',
  { skip: probe === null ? 'redis-server is not installed' : false },
  async (t) => {
    const { table, ratios } = await benchCounters({ seconds: 0.02, rounds: 1, known: 200, portion: 50 });
    const names = ['memoryPerSecond', 'redisPerSecond', 'memoryProbedPerSecond', 'redisProbedPerSecond'];
    const sizes = ['bytesPerSession', 'bytesPerProbedSession', 'bytesPerKnownDevice', 'fillRatio'];
    for (const name of [...names, ...sizes]) t.ok((ratios[name] ?? 0) > 0, name);
    t.match(table, /200 known devices/);
  },
);
