/** Failed tries with a face, by project and address. */
import { join } from 'node:path';
import t from 'tap';
import type { Envelope } from '../../src/contract/envelope.js';
import { biometricExample } from '../../src/contract/envelope-examples.js';
import { storeUnavailable } from '../../src/errors.js';
import { parseAddress } from '../../src/net/address.js';
import { createFindClient, parseNetwork } from '../../src/net/forwarding.js';
import { openMemoryCounters } from '../../src/stores/counters/memory/open.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import {
  createFaceTries,
  failedFacesPerAddress,
  isFaceTry as judgeFaceTry,
} from '../../src/verification/verify/face-tries.js';
import { temporaryDirectory } from '../helpers/directories.js';

const metrics = createMetrics();
const clock = { nowMs: 1_800_000_000_000 };
const now = (): number => clock.nowMs;
const anonymous = { respondentTrusted: false };

t.test('an address that used its failed tries up is refused, for one project and one hour', async (t) => {
  const counters = await openMemoryCounters({
    snapshotPath: join(temporaryDirectory(t), 'counters'),
    keysMax: 10_000,
    logger: createLogger('silent', { write: () => undefined }),
  });
  t.teardown(() => counters.close());
  const tries = createFaceTries({ counters, metrics, now });
  for (let count = 0; count < failedFacesPerAddress; count += 1) {
    tries.requireOpen('proj_1', parseAddress('2001:db8::1'), anonymous);
    await tries.countFailed('proj_1', parseAddress('2001:db8::1'), anonymous, { network: null });
  }
  const refused = { code: 'RATE_LIMIT_EXCEEDED', details: { headers: { 'retry-after': String } } };
  t.throws(() => tries.requireOpen('proj_1', parseAddress('2001:db8::1'), anonymous), refused);
  t.throws(
    () => tries.requireOpen('proj_1', parseAddress('2001:db8::2'), anonymous),
    refused,
    'nor does another address of its /64 help',
  );
  for (let count = 0; count < failedFacesPerAddress; count += 1) {
    await tries.countFailed('proj_1', parseAddress('203.0.113.7'), anonymous, { network: 'education' });
    await tries.countFailed('proj_1', parseAddress('10.0.0.1'), anonymous, null);
  }
  t.doesNotThrow(
    () => tries.requireOpen('proj_1', parseAddress('203.0.113.7'), anonymous),
    'a shared network has ten times as many',
  );
  t.doesNotThrow(
    () => tries.requireOpen('proj_1', parseAddress('10.0.0.1'), anonymous),
    'an address that nobody has is not limited',
  );
  t.doesNotThrow(() => tries.requireOpen('proj_1', parseAddress('2001:db8:0:1::1'), anonymous));
  t.doesNotThrow(() => tries.requireOpen('proj_2', parseAddress('2001:db8::1'), anonymous));
  const named = { respondentTrusted: true };
  t.doesNotThrow(
    () => tries.requireOpen('proj_1', parseAddress('2001:db8::1'), named),
    'whom a backend named has tries apart',
  );
  for (let count = 0; count < failedFacesPerAddress; count += 1)
    await tries.countFailed('proj_1', parseAddress('2001:db8::1'), named, { network: null });
  t.throws(() => tries.requireOpen('proj_1', parseAddress('2001:db8::1'), named), refused);
  clock.nowMs += 3_600_000;
  t.doesNotThrow(() => tries.requireOpen('proj_1', parseAddress('2001:db8::1'), anonymous));
});

t.test('contradictory headers lift no limit, and lock nobody else behind the proxy out', async (t) => {
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 1_000 });
  t.teardown(() => counters.close());
  const tries = createFaceTries({ counters, metrics, now });
  const proxy = parseAddress('10.0.0.1');
  const disputed = createFindClient([parseNetwork('10.0.0.1')].filter((network) => network !== null))({
    remoteAddress: '10.0.0.1',
    headers: { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=198.51.100.1' },
  }).address;
  for (let count = 0; count < failedFacesPerAddress; count += 1) {
    tries.requireOpen('proj_1', disputed, anonymous);
    await tries.countFailed('proj_1', disputed, anonymous, null);
  }
  t.throws(() => tries.requireOpen('proj_1', disputed, anonymous), { code: 'RATE_LIMIT_EXCEEDED' });
  t.doesNotThrow(() => tries.requireOpen('proj_1', proxy, anonymous));
  t.doesNotThrow(() => tries.requireOpen('proj_1', parseAddress('203.0.113.9'), anonymous));
});

t.test('with the counters away nobody is refused', async (t) => {
  const counters = { takeRate: () => Promise.reject(storeUnavailable('counters', new Error('away'))) };
  const tries = createFaceTries({ counters, metrics, now });
  for (let count = 0; count <= failedFacesPerAddress; count += 1)
    await tries.countFailed('proj_1', parseAddress('203.0.113.1'), anonymous, { network: null });
  t.doesNotThrow(() => tries.requireOpen('proj_1', parseAddress('203.0.113.1'), anonymous));
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
  const endMs = biometricExample.frames.atMs.at(-1) ?? 0;
  const createdAt = new Date(clock.nowMs - endMs);
  const session = { nonce, challengeCount: challenges.length, challengeCalls: [...revealed, done], createdAt };
  const isFaceTry = (envelope: Envelope, own: typeof session, signals?: readonly { readonly type: string }[]) =>
    judgeFaceTry(envelope, own, clock.nowMs, signals);
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
  const { frames } = biometricExample;
  const glance = { ...frames, atMs: frames.atMs.slice(0, 1) };
  t.equal(isFaceTry({ ...biometricExample, frames: glance }, session), false, 'one frame is no capture');
  const hurried = { ...frames, atMs: frames.atMs.map((ms) => ms / 2) };
  t.equal(isFaceTry({ ...biometricExample, frames: hurried }, session), false, 'nobody is that fast');
  const late = { ...session, createdAt: new Date(clock.nowMs - endMs / 2) };
  t.equal(isFaceTry(biometricExample, late), false, 'the time that it claims has not passed');
});
