import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import type { ErrorBody } from '../../src/contract/common.js';
import { createAdmission } from '../../src/http/admission.js';
import { createApp } from '../../src/http/app.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { waitUntil } from '../helpers/wait-until.js';

/** Of a process whose timers always come in time. */
const inTime = { watch: () => undefined, ms: () => 0 };

/** Enters `count` requests; null for one that was refused. */
function enter(admission: ReturnType<typeof createAdmission>, count: number) {
  return Array.from({ length: count }, () => admission.enter());
}

t.test(
  'a process that comes late to its timers takes no more than a few, and again what comes once it is in time',
  async (t) => {
    const admission = createAdmission(() => performance.now());
    const stays = enter(admission, 300);
    t.notOk(stays.includes(null), 'nothing was late yet');
    for (const until = performance.now() + 200; performance.now() < until;);
    t.equal(admission.enter(), null);
    for (const stay of stays.slice(0, 240)) if (stay !== null) admission.leave(stay);
    t.notOk(enter(admission, 4).includes(null), 'so few are always taken');
    for (const stay of stays.slice(240, 260)) if (stay !== null) admission.leave(stay);
    await waitUntil(() => !enter(admission, 80).includes(null), 'a timer came in time', 10_000);
  },
);

t.test('what would wait for more than a second is refused before anybody has', (t) => {
  let nowMs = 0;
  const admission = createAdmission(() => nowMs, inTime);
  const inside: NonNullable<ReturnType<typeof admission.enter>>[] = [];
  /** For each millisecond `come` come and one leaves; returns how many were refused. */
  const pass = (milliseconds: number, come: number): number => {
    let refused = 0;
    for (const endMs = nowMs + milliseconds; nowMs < endMs; nowMs += 1) {
      for (const stay of enter(admission, come)) {
        if (stay === null) refused += 1;
        else inside.push(stay);
      }
      const first = inside.shift();
      if (first !== undefined) admission.leave(first);
    }
    return refused;
  };
  t.equal(pass(2_000, 1), 0);
  t.equal(pass(300, 4), 0, 'a burst');
  t.ok(pass(100, 4) > 150, 'the next would wait for more than a second');
  t.equal(pass(1_000, 4) > 2_900, true, 'they are answered before others are taken');
  t.equal(inside.length, 149, 'as many as leave in 150 ms');
  t.equal(pass(1_000, 4), 3_000, 'one is taken for one that leaves');
  pass(200, 0);
  t.equal(pass(2_000, 1), 0);
  t.end();
});

t.test('a store that takes long is no reason to refuse, as long as all are answered', (t) => {
  let nowMs = 0;
  const admission = createAdmission(() => nowMs, inTime);
  const inside: ReturnType<typeof admission.enter>[] = [];
  for (; nowMs < 10_000; nowMs += 1) {
    // At first it answers at once, then each after 600 ms.
    inside.push(admission.enter());
    if (nowMs > 3_000 && nowMs < 3_600) continue;
    const first = inside.shift();
    if (first != null) admission.leave(first);
  }
  t.equal(inside.length, 599);
  t.notOk(inside.includes(null));
  t.end();
});

t.test('many at once are all taken, as none of them has waited', (t) => {
  const admission = createAdmission(() => 0);
  t.notOk(enter(admission, 5_000).includes(null));
  t.end();
});

t.test('while many have waited too long nobody is taken; once they are answered everybody is', (t) => {
  let nowMs = 0;
  const admission = createAdmission(() => nowMs);
  const stays = enter(admission, 200);
  nowMs = 1_000;
  t.not(admission.enter(), null, 'a second is not too long');
  nowMs = 1_001;
  t.equal(admission.enter(), null);
  for (const stay of stays.slice(0, -63)) if (stay !== null) admission.leave(stay);
  t.not(admission.enter(), null, 'sixty-three old ones refuse nobody');
  t.end();
});

t.test('who was answered in time never counts, nor does leaving twice', (t) => {
  let nowMs = 0;
  const admission = createAdmission(() => nowMs);
  for (const stay of enter(admission, 100)) if (stay !== null) admission.leave(stay);
  nowMs = 2_000;
  const late = enter(admission, 70);
  t.notOk(late.includes(null));
  nowMs = 4_000;
  t.equal(admission.enter(), null);
  const [first, ...others] = late;
  for (let n = 0; n < 70; n += 1) if (first != null) admission.leave(first);
  t.equal(admission.enter(), null, 'one left, however often it says so');
  for (const stay of others.slice(0, 6)) if (stay !== null) admission.leave(stay);
  t.not(admission.enter(), null);
  t.end();
});

t.test('those who have left are let go of, also where there were never many inside', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let nowMs = 0;
  const admission = createAdmission(() => nowMs, inTime);
  const kept: WeakRef<object>[] = [];
  for (let n = 0; n < 10_000; n += 1) {
    nowMs += 1;
    const stay = admission.enter();
    if (stay === null) throw new Error('one at a time is always taken');
    kept.push(new WeakRef(stay));
    admission.leave(stay);
  }
  await waitUntil(
    () => {
      collect();
      return kept.filter((ref) => ref.deref() !== undefined).length < 5_000;
    },
    'the places of those who left are free',
    5_000,
  );
});

t.test(
  'at the door: 503 with Retry-After before the key is looked up, and taken again once the others are answered',
  async (t) => {
    let lookedUp = 0;
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const app = createApp({
      findKey: async () => {
        lookedUp += 1;
        return null;
      },
      verifyDashboardToken: () => Promise.reject(new Error('not here')),
      findProjectOwner: async () => null,
      findKeyOwner: async () => null,
      takeKeyRate: async () => undefined,
      requireTrial: async () => undefined,
      logger: createLogger('silent'),
      metrics: createMetrics(),
    });
    const slow = { config: { access: { credential: 'none' }, sheds: true } } as const;
    app.get('/slow', slow, async () => answered.then(() => ({})));
    app.get('/guarded', { config: { access: { credential: 'api-key' }, sheds: true } }, async () => ({}));
    app.get('/other', { config: { access: { credential: 'none' } } }, async () => ({}));
    const waiting = Array.from({ length: 64 }, () => app.inject('/slow'));
    const guarded = () => app.inject({ url: '/guarded', headers: { 'x-api-key': 'vf_live_unknown' } });
    await waitUntil(async () => (await guarded()).statusCode === 503, 'the door is shut', 10_000);
    const before = lookedUp;
    const refused = await guarded();
    t.match(refused.json<ErrorBody>(), { code: 'OVERLOADED' });
    t.equal(refused.headers['retry-after'], '1');
    t.equal(lookedUp, before);
    t.equal((await app.inject('/other')).statusCode, 200, 'a route that sheds nothing is served');
    answer();
    t.ok(
      (await Promise.all(waiting)).every(({ statusCode }) => statusCode === 200),
      'what was taken is answered',
    );
    t.equal((await guarded()).statusCode, 401);
  },
);
