/** Failed tries with a face, by project and address. */
import { join } from 'node:path';
import t from 'tap';
import { storeUnavailable } from '../../src/errors.js';
import { openMemoryCounters } from '../../src/stores/counters/memory/open.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { createFaceTries, failedFacesPerAddress } from '../../src/verification/verify/face-tries.js';
import { temporaryDirectory } from '../helpers/directories.js';

const metrics = createMetrics();
const clock = { nowMs: 1_800_000_000_000 };
const now = (): number => clock.nowMs;

t.test('an address that used its failed tries up is refused, for one project and one hour', async (t) => {
  const counters = await openMemoryCounters({
    snapshotPath: join(temporaryDirectory(t), 'counters'),
    keysMax: 10_000,
    logger: createLogger('silent', { write: () => undefined }),
  });
  t.teardown(() => counters.close());
  const tries = createFaceTries({ counters, metrics, now });
  for (let count = 0; count < failedFacesPerAddress; count += 1) {
    tries.requireOpen('proj_1', '2001:db8::1');
    await tries.countFailed('proj_1', '2001:db8::1');
  }
  const refused = { code: 'RATE_LIMIT_EXCEEDED', details: { headers: { 'retry-after': String } } };
  t.throws(() => tries.requireOpen('proj_1', '2001:db8::1'), refused);
  t.throws(() => tries.requireOpen('proj_1', '2001:db8::2'), refused, 'nor does another address of its /64 help');
  t.doesNotThrow(() => tries.requireOpen('proj_1', '2001:db8:0:1::1'));
  t.doesNotThrow(() => tries.requireOpen('proj_2', '2001:db8::1'));
  clock.nowMs += 3_600_000;
  t.doesNotThrow(() => tries.requireOpen('proj_1', '2001:db8::1'));
});

t.test('with the counters away nobody is refused', async (t) => {
  const counters = { takeRate: () => Promise.reject(storeUnavailable('counters', new Error('away'))) };
  const tries = createFaceTries({ counters, metrics, now });
  for (let count = 0; count <= failedFacesPerAddress; count += 1) await tries.countFailed('proj_1', '203.0.113.1');
  t.doesNotThrow(() => tries.requireOpen('proj_1', '203.0.113.1'));
});
