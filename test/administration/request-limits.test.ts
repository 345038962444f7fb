import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { KeyCaller } from '../../src/kernel/caller.js';
import { Fault, storeUnavailable } from '../../src/errors.js';
import { parseAddress } from '../../src/net/address.js';
import { createLimits } from '../../src/administration/request-limits.js';
import type { Counters } from '../../src/stores/counters/port.js';
import { openRedisCounters } from '../../src/stores/counters/redis/open.js';
import { openMemoryCounters } from '../../src/stores/counters/memory/open.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { findStack } from '../helpers/stores.js';

const logger = createLogger('silent', { write: () => undefined });
const counters = await openMemoryCounters({
  snapshotPath: join(temporaryDirectory(t), 'counters'),
  keysMax: 100_000,
  logger,
});
t.teardown(() => counters.close());
const nowMs = 1_790_000_000_000;

const depsOf = (
  over: Pick<Counters, 'takeRate'>,
  publicPerMinute: number,
  metrics = createMetrics(),
): Parameters<typeof createLimits>[0] => ({
  counters: over,
  metrics,
  logger,
  now: () => nowMs,
  findOrganization: async () => null,
  publicPerMinute,
  publicPerAddress: publicPerMinute,
  networkOf: ({ text }) => (text === '91.198.174.7' ? 'mobile' : null),
});
const limitsOver = (over: Pick<Counters, 'takeRate'> = counters, publicPerMinute = 5, metrics = createMetrics()) =>
  createLimits(depsOf(over, publicPerMinute, metrics));
const key = (lineage: string, perMinute: number, perDay = 1_000): KeyCaller => ({
  kind: 'key',
  keyId: lineage,
  lineage,
  organizationId: 'org_a',
  projectId: 'proj_a',
  scopes: [],
  limits: { perMinute, perDay },
  isTest: false,
  isDemo: false,
  diagnosticsEnabled: false,
});
const passed = async (calls: readonly Promise<void>[]): Promise<number> =>
  (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length;

t.test('however many instances take from a limit at once, never one call more than it passes', async (t) => {
  let n = 0;
  await t.resolves(
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 40 }),
        async (perMinute, perDay, calls) => {
          const caller = key(`key_${(n += 1)}`, perMinute, perDay);
          const instances = [limitsOver(), limitsOver(), limitsOver(), limitsOver()];
          const work = Array.from(
            { length: calls },
            (_, index) => instances[index % 4]?.takeKeyRate(caller) ?? Promise.resolve(),
          );
          return (await passed(work)) === Math.min(calls, perMinute, perDay);
        },
      ),
    ),
  );
});

t.test('the refusal says how much, and when to come again', async (t) => {
  const caller = key('refused', 1);
  await limitsOver().takeKeyRate(caller);
  const fault = await limitsOver()
    .takeKeyRate(caller)
    .catch((error: unknown) => error as Fault);
  t.match(fault, {
    code: 'RATE_LIMIT_EXCEEDED',
    details: {
      context: { limit: 1, usage: 1, resetDate: /Z$/ },
      headers: { 'retry-after': /^\d+$/, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': /^\d+$/ },
    },
  });
});

t.test('a pattern uses up its own sessions and completions, and 0 is no limit', async (t) => {
  const take = async (count: number, kind: 'sessions' | 'completions', projectId: string, page: string) =>
    passed(Array.from({ length: count }, () => limits.takeWork(kind, projectId, page, null)));
  const limits = limitsOver();
  t.equal(await take(9, 'sessions', 'proj_p', 'https://a.example'), 5);
  t.equal(await take(9, 'completions', 'proj_p', 'https://a.example'), 5);
  t.equal(await take(9, 'sessions', 'proj_p', '*.b.example'), 5);
  t.equal(await take(9, 'sessions', 'proj_q', 'https://a.example'), 5);
  const unlimited = limitsOver(counters, 0);
  t.equal(await passed(Array.from({ length: 50 }, () => unlimited.takeWork('sessions', 'proj_p', null, null))), 50);
});

t.test('an address has its calls of each kind, ten times as many on a carrier’s network', async (t) => {
  const limits = limitsOver();
  const take = (count: number, kind: string, address: string | null) =>
    passed(
      Array.from({ length: count }, () => limits.takeAddress(kind, address === null ? null : parseAddress(address))),
    );
  t.equal(await take(9, 'completions', '91.198.174.1'), 5);
  t.equal(await take(9, 'sessions', '91.198.174.1'), 5);
  t.equal(await take(9, 'sessions', '91.198.174.2'), 5);
  t.equal(await take(60, 'reads', '91.198.174.1'), 50, 'and ten times as many reads');
  t.equal(await take(3, 'sessions', '2001:4860::1'), 3);
  t.equal(await take(9, 'sessions', '2001:4860::2'), 2, 'a /64 is one address');
  t.equal(await take(60, 'sessions', '91.198.174.7'), 50);
  for (const address of ['127.0.0.1', '10.0.0.1', null])
    t.equal(await take(9, 'sessions', address), 9, String(address));
});

t.test('one network gets a quarter of a page’s minute, unless it is known to be shared', async (t) => {
  const limits = createLimits({ ...depsOf(counters, 40), publicPerAddress: 3 });
  const take = (count: number, addressOf: (n: number) => string) =>
    passed(
      Array.from({ length: count }, (_, n) =>
        limits.takeWork('sessions', 'proj_network', '*', parseAddress(addressOf(n))),
      ),
    );
  t.equal(await take(30, (n) => `2a01:4f8:2:${n.toString(16)}::1`), 10, 'of a /48');
  t.equal(await take(30, (n) => `5.9.1.${n}`), 10, 'of a /24');
  t.equal(await take(5, () => '91.198.174.7'), 5);
  t.equal(await take(30, () => '91.198.174.7'), 15, 'what was refused took nothing off the page');
  const small = createLimits({ ...depsOf(counters, 8), publicPerAddress: 6 });
  const one = () => small.takeWork('sessions', 'proj_small', '*', parseAddress('5.9.1.1'));
  t.equal(await passed(Array.from({ length: 9 }, one)), 6, 'never less than an address gets');
});

t.test('twenty sessions a minute for a browser', async (t) => {
  const take = (count: number, deviceRef: string) =>
    passed(Array.from({ length: count }, () => limitsOver().takeDevice('proj_b', deviceRef)));
  t.equal(await take(25, 'dev_a'), 20);
  t.equal(await take(1, 'dev_b'), 1);
});

t.test('ten demo keys a minute for a project', async (t) => {
  t.equal(await passed(Array.from({ length: 15 }, () => limitsOver().takeDemoKey('proj_d'))), 10);
});

t.test('while the counters store is away calls pass and are counted as its failures', async (t) => {
  const metrics = createMetrics();
  const away = limitsOver({ takeRate: () => Promise.reject(storeUnavailable('gone')) }, 5, metrics);
  await away.takeKeyRate(key('away', 1));
  await away.takeWork('sessions', 'proj_p', null, null);
  t.match(await metrics.registry.metrics(), /vh_store_failures_total\{store="counters"\} 2/);
});

t.test('a bug of the store is not taken for its absence', async (t) => {
  await t.rejects(limitsOver({ takeRate: () => Promise.reject(new TypeError('bug')) }).takeKeyRate(key('bug', 1)), {
    message: 'bug',
  });
});

const stack = findStack(t, 'a limit shared by instances through Redis');
if (stack !== null) {
  t.test('four instances on one Redis together pass exactly the limit', async (t) => {
    const stores = await Promise.all(
      Array.from({ length: 4 }, () => openRedisCounters({ url: stack.redisUrl, deadlineMs: 10_000 })),
    );
    t.teardown(async () => void (await Promise.all(stores.map((store) => store.close()))));
    const instances = stores.map((store) => limitsOver(store));
    await t.resolves(
      fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 150 }), async (perMinute) => {
          const caller = key(`key_${randomUUID()}`, perMinute);
          return (
            (await passed(
              Array.from({ length: 200 }, (_, index) => instances[index % 4]?.takeKeyRate(caller) ?? Promise.resolve()),
            )) === perMinute
          );
        }),
        { numRuns: 10 },
      ),
    );
  });
}

t.test('the refusal names what was counted', async (t) => {
  const limits = limitsOver();
  const refusalOf = async (take: () => Promise<void>): Promise<string> => {
    for (let n = 0; n < 30; n += 1) {
      const fault = await take().catch((error: unknown) => error as Fault);
      if (fault !== undefined) return fault.message;
    }
    return '';
  };
  t.match(
    await refusalOf(() => limits.takeDevice('proj_words', 'dev_1')),
    /^This browser reached its limit of 20 sessions\./,
  );
  t.match(
    await refusalOf(() => limits.takeWork('completions', 'proj_words', null, null)),
    /reached its limit of 5 completions\. /,
  );
  t.match(
    await refusalOf(() => limits.takeDemoKey('proj_words')),
    /^This project reached its limit of 10 demo keys\. /,
  );
});
