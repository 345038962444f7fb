/** Failed tries with a face, by project and address. */
import { join } from 'node:path';
import t from 'tap';
import { biometricExample } from '../../src/contract/envelope-examples.js';
import { storeUnavailable } from '../../src/errors.js';
import { openMemoryCounters } from '../../src/stores/counters/memory/open.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { createFaceTries, failedFacesPerAddress, isFaceTry } from '../../src/verification/verify/face-tries.js';
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
    await tries.countFailed('proj_1', '2001:db8::1', { network: null });
  }
  const refused = { code: 'RATE_LIMIT_EXCEEDED', details: { headers: { 'retry-after': String } } };
  t.throws(() => tries.requireOpen('proj_1', '2001:db8::1'), refused);
  t.throws(() => tries.requireOpen('proj_1', '2001:db8::2'), refused, 'nor does another address of its /64 help');
  for (let count = 0; count < failedFacesPerAddress; count += 1) {
    await tries.countFailed('proj_1', '203.0.113.7', { network: 'education' });
    await tries.countFailed('proj_1', '10.0.0.1', null);
  }
  t.doesNotThrow(() => tries.requireOpen('proj_1', '203.0.113.7'), 'a shared network has ten times as many');
  t.doesNotThrow(() => tries.requireOpen('proj_1', '10.0.0.1'), 'an address that nobody has is not limited');
  t.doesNotThrow(() => tries.requireOpen('proj_1', '2001:db8:0:1::1'));
  t.doesNotThrow(() => tries.requireOpen('proj_2', '2001:db8::1'));
  clock.nowMs += 3_600_000;
  t.doesNotThrow(() => tries.requireOpen('proj_1', '2001:db8::1'));
});

t.test('with the counters away nobody is refused', async (t) => {
  const counters = { takeRate: () => Promise.reject(storeUnavailable('counters', new Error('away'))) };
  const tries = createFaceTries({ counters, metrics, now });
  for (let count = 0; count <= failedFacesPerAddress; count += 1)
    await tries.countFailed('proj_1', '203.0.113.1', { network: null });
  t.doesNotThrow(() => tries.requireOpen('proj_1', '203.0.113.1'));
});

t.test('a face counts with the nonce and the challenges of its session, and no sign that it was made up', async (t) => {
  const { nonce, challenges } = biometricExample;
  const asked = { commitment: null, frameCount: 0, atMs: 0 };
  const revealed = challenges.map(({ id }, index) => ({
    ...asked,
    index,
    reply: { index, id, type: 'blink' as const, timeoutMs: 8_000, startAfterMs: 300 },
  }));
  const done = { ...asked, index: revealed.length, reply: { done: true as const, frameIndices: [] } };
  const session = { nonce, challengeCount: challenges.length, challengeCalls: [...revealed, done] };
  t.equal(isFaceTry(biometricExample, session), true);
  t.equal(isFaceTry(biometricExample, session, [{ type: 'other' }]), true);
  t.equal(isFaceTry(biometricExample, session, [{ type: 'commitment_broken' }]), false);
  t.equal(isFaceTry(biometricExample, { ...session, challengeCalls: [] }), false, 'nobody asked for these');
  t.equal(isFaceTry(biometricExample, { ...session, challengeCalls: revealed }), false, 'the capture did not end');
  const invented = challenges.map((challenge) => ({ ...challenge, id: `chl_${challenge.id}` }));
  t.equal(isFaceTry({ ...biometricExample, challenges: invented }, session), false);
  t.equal(isFaceTry({ ...biometricExample, nonce: 'x' }, session), false);
  t.equal(isFaceTry({ ...biometricExample, challenges: [] }, session), false);
  t.equal(isFaceTry({ ...biometricExample, frames: null }, session), false);
  t.equal(isFaceTry({ ...biometricExample, embedding: null }, session), false);
});
