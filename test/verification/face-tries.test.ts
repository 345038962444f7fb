/** Failed tries with a face, by project and address. */
import t, { type Test } from 'tap';
import type { Envelope } from '../../src/contract/envelope.js';
import { biometricExample } from '../../src/contract/envelope-examples.js';
import { storeUnavailable } from '../../src/errors.js';
import { parseAddress } from '../../src/net/address.js';
import { createFindClient, parseNetwork } from '../../src/net/forwarding.js';
import { openMemoryCounters } from '../../src/stores/counters/memory/open.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import {
  createFaceTries,
  failedFacesPerAddress,
  isFullCapture as judgeCapture,
  showsComparison,
} from '../../src/verification/verify/face-tries.js';

const metrics = createMetrics();
const clock = { nowMs: 1_800_000_000_000 };
const now = (): number => clock.nowMs;
const anonymous = { respondentTrusted: false };

type Tries = ReturnType<typeof createFaceTries>;
type Sender = Parameters<Tries['run']>[0];
const at = (address: string, over: Partial<Sender> = {}): Sender => ({
  ...{ projectId: 'proj_1', address: parseAddress(address), session: anonymous, facts: { network: null } },
  ...over,
});
const nobodyHas = { facts: null };
const judged = async (tries: Tries, sender: Sender, times = 1): Promise<void> => {
  for (let count = 0; count < times; count += 1)
    await tries.run(
      sender,
      () => Promise.resolve(true),
      (answer) => answer,
    );
};
const open = async (t: Test): Promise<Tries> => {
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 10_000 });
  t.teardown(() => counters.close());
  return createFaceTries({ counters, metrics, now });
};
const refused = { code: 'RATE_LIMIT_EXCEEDED', details: { headers: { 'retry-after': String } } };

t.test('an address that used its failed tries up is refused, for one project and one hour', async (t) => {
  const tries = await open(t);
  const one = at('2001:db8::1');
  await judged(tries, one, failedFacesPerAddress);
  await t.rejects(judged(tries, one), refused);
  await t.rejects(judged(tries, at('2001:db8::2')), refused, 'nor does another address of its /64 help');
  const shared = at('203.0.113.7', { facts: { network: 'education' } });
  await t.resolves(judged(tries, shared, failedFacesPerAddress + 1), 'a shared network has ten times as many');
  const inside = at('10.0.0.1', nobodyHas);
  await t.resolves(judged(tries, inside, failedFacesPerAddress + 1), 'an address that nobody has is not limited');
  await t.resolves(judged(tries, at('2001:db8:0:1::1')));
  await t.resolves(judged(tries, { ...one, projectId: 'proj_2' }));
  const named = { ...one, session: { respondentTrusted: true } };
  await t.resolves(judged(tries, named, failedFacesPerAddress), 'whom a backend named has tries apart');
  await t.rejects(judged(tries, named), refused);
  clock.nowMs += 3_600_000;
  await t.resolves(judged(tries, one));
});

t.test('what is being judged counts meanwhile, and what showed no comparison is given back', async (t) => {
  const tries = await open(t);
  const one = at('203.0.113.20');
  let finish: (shows: boolean) => void = () => undefined;
  const verdict = new Promise<boolean>((resolve) => void (finish = resolve));
  const judge = (): Promise<boolean> =>
    tries.run(
      one,
      () => verdict,
      (answer) => answer,
    );
  const underWay = Array.from({ length: failedFacesPerAddress }, judge);
  await t.rejects(judge(), { code: 'OVERLOADED' }, 'any of them may use a try up');
  finish(false);
  await Promise.all(underWay);
  await t.rejects(
    tries.run(
      one,
      () => Promise.reject(new Error('away')),
      () => true,
    ),
    { message: 'away' },
  );
  await t.resolves(judged(tries, one, failedFacesPerAddress));
  await t.rejects(judged(tries, one), refused);
});

t.test('contradictory headers lift no limit, and lock nobody else behind the proxy out', async (t) => {
  const tries = await open(t);
  const disputed = createFindClient([parseNetwork('10.0.0.1')].filter((network) => network !== null))({
    remoteAddress: '10.0.0.1',
    headers: { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=198.51.100.1' },
  }).address;
  const sender = at('10.0.0.1', { ...nobodyHas, address: disputed });
  await judged(tries, sender, failedFacesPerAddress);
  await t.rejects(judged(tries, sender), { code: 'RATE_LIMIT_EXCEEDED' });
  await t.resolves(judged(tries, at('10.0.0.1', nobodyHas)));
  await t.resolves(judged(tries, at('203.0.113.9')));
});

t.test('with the counters away nobody is refused', async (t) => {
  const counters = { takeRate: () => Promise.reject(storeUnavailable('counters', new Error('away'))) };
  const tries = createFaceTries({ counters, metrics, now });
  await t.resolves(judged(tries, at('203.0.113.1'), failedFacesPerAddress + 1));
});

t.test('a failed verdict counts where the page learns of the comparison', (t) => {
  const scores = { liveness: 1, uniqueness: 0, authenticity: 1, overall: 0.5, quality: 1, fraud: 0 };
  t.equal(showsComparison({ status: 'fail', scores }), true);
  t.equal(showsComparison({ status: 'pass', scores }), false);
  t.equal(showsComparison({ status: 'fail', scores: { ...scores, uniqueness: null } }), false);
  t.end();
});

t.test('a capture is full with the nonce and the challenges of its session, and the time that they take', async (t) => {
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
  const isFull = (envelope: Envelope, own: typeof session) => judgeCapture(envelope, own, clock.nowMs);
  t.equal(isFull(biometricExample, session), true);
  t.equal(isFull(biometricExample, { ...session, challengeCalls: [] }), false, 'nobody asked for these');
  t.equal(isFull(biometricExample, { ...session, challengeCalls: revealed }), false, 'the capture did not end');
  const invented = challenges.map((challenge) => ({ ...challenge, id: `chl_${challenge.id}` }));
  t.equal(isFull({ ...biometricExample, challenges: invented }, session), false);
  t.equal(isFull({ ...biometricExample, nonce: 'x' }, session), false);
  t.equal(isFull({ ...biometricExample, challenges: [] }, session), false);
  t.equal(isFull({ ...biometricExample, frames: null }, session), false);
  t.equal(isFull({ ...biometricExample, embedding: null }, session), false);
  const late = { ...session, createdAt: new Date(clock.nowMs - 999 * (1 + challenges.length)) };
  t.equal(isFull(biometricExample, late), false, 'nobody is that fast, whatever the capture claims');
});
