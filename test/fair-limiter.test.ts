import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { createFairLimiter, type Release, type ShareUse } from '../src/fair-limiter.js';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('an organization alone takes half of the places, and a newcomer finds one at once', async (t) => {
  const limiter = createFairLimiter({ operation: 'test', places: 8 });
  let started = 0;
  for (let n = 0; n < 20; n += 1) void limiter.acquire('storm').then(() => (started += 1));
  await settle();
  t.equal(started, 4);
  await limiter.acquire('neighbour');
  await limiter.acquire('neighbour');
  t.equal(started, 4);
});

t.test('an organization has fewer places while another was served within the last second', async (t) => {
  const limiter = createFairLimiter({ operation: 'test', places: 8, eachContended: 2 });
  const releases: Release[] = [];
  const storm = (): void => void limiter.acquire('storm').then((release) => releases.push(release));
  (await limiter.acquire('neighbour'))();
  for (let n = 0; n < 5; n += 1) storm();
  await settle();
  t.equal(releases.length, 2);
  releases.shift()?.();
  await settle();
  t.equal(releases.length, 2, 'one ended, one began');
  const giveUpAtMs = performance.now() + 10_000;
  while (releases.length < 4 && performance.now() < giveUpAtMs) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    storm();
    releases.shift()?.();
    await settle();
  }
  t.equal(releases.length, 4, 'alone again, it has half');
});

t.test('a place rests for twice as long as it was held, a quarter of a second at most', async (t) => {
  let nowMs = 0;
  const limiter = createFairLimiter({ operation: 'simulate', places: 4, each: 1, rests: true, now: () => nowMs });
  /** A timer that begins before the rest, one that begins after it, and the rest end in the order of their times, however late a busy machine is. */
  const orderAfter = async (heldMs: number, below: number, above: number): Promise<readonly unknown[]> => {
    const order: unknown[] = [];
    const release = await limiter.acquire('storm');
    nowMs += heldMs;
    const timer = (ms: number): Promise<unknown> => pause(ms).then(() => order.push(ms));
    const first = timer(below);
    release();
    const last = timer(above);
    for (const name of ['neighbour', 'storm']) {
      (await limiter.acquire(name))();
      order.push(name);
    }
    await Promise.all([first, last]);
    return order;
  };
  t.same(await orderAfter(40, 70, 90), ['neighbour', 70, 'storm', 90], 'another place is free meanwhile');
  t.same(await orderAfter(600, 240, 260), ['neighbour', 240, 'storm', 260]);
});

t.test('organizations that wait take turns, whoever came first and however many calls wait', async (t) => {
  const limiter = createFairLimiter({ operation: 'test', places: 2, each: 1 });
  const order: string[] = [];
  const releases: Release[] = [];
  const call = (name: string): void =>
    void limiter.acquire(name).then((release) => {
      order.push(name);
      releases.push(release);
    });
  for (const name of ['a', 'b', 'a', 'a', 'a', 'b', 'c']) call(name);
  await settle();
  t.same(order, ['a', 'b']);
  while (order.length < 7) {
    releases.shift()?.();
    await settle();
  }
  t.same(order.slice(2, 5).sort(), ['a', 'b', 'c']);
  t.equal(order.length, 7);
});

t.test('where all places are taken nobody has called too often: 503, also for who holds one', async (t) => {
  const limiter = createFairLimiter({ operation: 'database', places: 1, waitMsMax: 5 });
  const release = await limiter.acquire('alone');
  await t.rejects(limiter.acquire('alone'), { code: 'OVERLOADED', details: { headers: { 'retry-after': '1' } } });
  release();
  const wide = createFairLimiter({ operation: 'database', places: 4, waitMsMax: 5 });
  for (const name of ['a', 'a', 'b']) await wide.acquire(name);
  await t.rejects(wide.acquire('a'), { code: 'RATE_LIMIT_EXCEEDED', details: { context: { limit: 2 } } });
  await wide.acquire('c');
  await t.rejects(wide.acquire('a'), { code: 'OVERLOADED' });
});

t.test('a call that waited too long is refused: 429 for whoever holds a share, 503 for others', async (t) => {
  const uses: ShareUse[] = [];
  const limiter = createFairLimiter({
    operation: 'export',
    places: 1,
    each: 1,
    waitMsMax: 5,
    observer: (use) => uses.push(use),
  });
  const release = await limiter.acquire('storm');
  await t.rejects(limiter.acquire('storm'), {
    code: 'RATE_LIMIT_EXCEEDED',
    details: { headers: { 'retry-after': '1' }, context: { operation: 'export', limit: 1, usage: 1 } },
  });
  await t.rejects(limiter.acquire('neighbour'), { code: 'OVERLOADED' });
  release();
  release();
  t.equal(await limiter.run('neighbour', async () => 'done'), 'done');
  t.same(
    uses.map(({ organizationId, heldMs }) => [organizationId, heldMs === null]),
    [
      ['storm', true],
      ['neighbour', true],
      ['storm', false],
      ['neighbour', false],
    ],
  );
});

t.test('a call whose caller leaves gives its turn up, and a job that fails frees its place', async (t) => {
  const limiter = createFairLimiter({ operation: 'test', places: 2, each: 1 });
  const release = await limiter.acquire('a');
  const gone = new AbortController();
  const waiting = limiter.acquire('a', gone.signal);
  gone.abort();
  await t.rejects(waiting);
  release();
  await t.rejects(
    limiter.run('a', () => Promise.reject(new Error('failed'))),
    /failed/,
  );
  t.equal(await limiter.run('a', async () => 1), 1);
});

t.test('who holds places for long waits for others who hold them shortly', async (t) => {
  let nowMs = 0;
  const limiter = createFairLimiter({ operation: 'test', places: 1, now: () => nowMs });
  const order: string[] = [];
  const call = (name: string, ms: number): Promise<void> =>
    limiter.run(name, async () => {
      order.push(name);
      nowMs += ms;
    });
  const alone = call('storm', 200);
  await alone;
  const storm = [call('storm', 30), call('storm', 30), call('storm', 30)];
  await Promise.all([...storm, ...Array.from({ length: 12 }, () => call('neighbour', 2))]);
  // The storm's first is under way; its others wait for as many milliseconds of the neighbour.
  t.same(new Set(order.slice(2, 7)), new Set(['neighbour']), order.join(' '));
  t.ok(order.lastIndexOf('storm') > 6, 'and then get on');
});
