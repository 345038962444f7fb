import t from 'tap';
import { benchDevices, countOf, onSecondDay, openServer } from '../../bench/devices.js';
import { makeInputs } from '../../bench/counter-sessions.js';
import { fillWithDevices, knownDevice } from '../../bench/known-devices.js';
import { startRedis } from '../stores/counters/redis-server.js';

t.setTimeout(120_000);
const probe = await startRedis();
await probe?.close();
const skip = probe === null ? 'redis-server is not installed' : false;

t.test('a device of the fill is known to the product, and one that is not of it is a stranger', { skip }, async (t) => {
  const server = await openServer();
  t.teardown(() => server.close());
  const filled = await fillWithDevices(server, 200);
  t.ok(filled.bytesPerDevice > 100);
  for (const [probed, own] of [
    [true, knownDevice(137, 200)],
    [false, knownDevice(138, 200)],
  ] as const) {
    const [known, stranger] = makeInputs(`second day ${String(probed)}`, 2, probed);
    if (known === undefined || stranger === undefined) throw new Error('no sessions');
    for (const { session, device, duplicates } of [
      { session: known, device: own, duplicates: [own] },
      { session: stranger, device: stranger.score.session, duplicates: [] },
    ]) {
      const one = onSecondDay(session, device);
      for (const message of one.probes) await server.counters.storeProbe(message);
      const counts = await countOf(server.counters, one);
      const same = counts.candidates.filter((candidate) => candidate.device === device);
      t.strictSame(
        same.map((candidate) => candidate.session),
        duplicates,
      );
    }
  }
});

t.test('a small run of the bench reports what known devices cost', { skip }, async (t) => {
  const { table, ratios } = await benchDevices({ rounds: 1, devices: 500, portion: 40 });
  for (const name of ['p50', 'cpu', 'p50Known', 'cpuKnown', 'bytesPerDevice'] as const)
    t.ok((ratios[name] ?? 0) > 0, name);
  t.match(table, /500 known devices/);
});
