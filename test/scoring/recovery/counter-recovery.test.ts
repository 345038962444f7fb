/** Data that Redis lost comes back: all of it, or the end of it, and records on their way to the database. On a separate Redis, the rest embedded. */
import { Redis } from 'ioredis';
import t from 'tap';
import { startReceiptConsumer } from '../../../src/scoring/receipts/consumer.js';
import { createCounterRecovery } from '../../../src/scoring/recovery/counter-recovery.js';
import type { Counters } from '../../../src/stores/counters/port.js';
import { openRedisCounters } from '../../../src/stores/counters/redis/open.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import { openTableLog } from '../../../src/stores/log/embedded/log.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { waitUntil } from '../../helpers/wait-until.js';
import { entryOf, recordScores, refOf, type PastScore } from '../../helpers/year.js';
import { countsOf, expectCounted, scoreInput } from '../../stores/counters/inputs.js';
import { startRedis } from '../../stores/counters/redis-server.js';

const logger = createLogger('silent');
const hourMs = 3_600_000;
const database = await openTestDatabase(t);
const log = openTableLog({ database, now: () => performance.now() });
t.teardown(() => log.close());
const directory = temporaryDirectory(t);
const args = ['--dir', directory];
const first = await startRedis({ args });

t.test('a check that fails is logged, and the next score checks again', async (t) => {
  const lines: string[] = [];
  const checkComplete = () => Promise.reject(new Error('unreadable'));
  const { check } = createCounterRecovery({
    ...{ database, lookups: database, log, metrics: createMetrics(), now: Date.now },
    logger: createLogger('warn', { write: (line) => lines.push(line) }),
    counters: { checkComplete, interruptions: () => 0 } as unknown as Counters,
    pool: { run: () => Promise.reject(new Error('nobody has a probe here')) },
  });
  await check('proj_unreadable');
  t.match(lines, [/unreadable/]);
});

if (first === null) t.comment('Left out: losses in Redis. redis-server is not installed.');
else {
  let server = first;
  t.teardown(() => server.close());
  /** `limit`: sessions that the instance can restore before its store stops answering it. */
  const openInstance = async ({ limit = Infinity }: { readonly limit?: number } = {}) => {
    const opened = await openRedisCounters({ url: server.url, deadlineMs: 2_000 });
    t.teardown(() => opened.close());
    let left = limit;
    const restoreSessions: Counters['restoreSessions'] = async (namespace, sessions) => {
      left -= sessions.length;
      if (left < 0) throw new Error('the process is gone');
      await opened.restoreSessions(namespace, sessions);
    };
    const counters = { ...opened, restoreSessions };
    const metrics = createMetrics();
    const pool = { run: () => Promise.reject(new Error('nobody has a probe here')) };
    const deps = {
      ...{ database, lookups: database, counters, log, pool, logger, metrics, now: Date.now },
      recordedPatienceMs: 200,
    };
    const restored = async (): Promise<number> => (await metrics.restoredSessions.get()).values[0]?.value ?? 0;
    return { counters, metrics, restored, counterRecovery: createCounterRecovery(deps) };
  };
  type Instance = Awaited<ReturnType<typeof openInstance>>;

  const scoresOf = (projectId: string, count: number, atMs: number): readonly PastScore[] =>
    Array.from({ length: count }, (_, n) => ({
      projectId,
      sessionId: `${atMs}-${n}`,
      atMs: atMs + n,
      device: 'shared',
    }));
  /** Scores as the service does, recorded at once. */
  const score = async ({ counters, counterRecovery }: Instance, scores: readonly PastScore[]): Promise<void> => {
    for (const { projectId, sessionId, atMs } of scores) {
      await counterRecovery.check(projectId);
      const input = scoreInput(projectId, `session ${sessionId}`, {
        nowMs: atMs,
        device: refOf('shared'),
        scope: refOf('study'),
      });
      expectCounted(await counters.countScore(input));
    }
    await recordScores(database, scores);
  };
  const next = (projectId: string) =>
    scoreInput(projectId, `next ${Math.random()}`, {
      nowMs: Date.now(),
      device: refOf('shared'),
      scope: refOf('study'),
    });

  t.test(
    'after a restart from an older snapshot the end comes back, and until then it is said to be missing',
    async (t) => {
      const [one, other] = [await openInstance(), await openInstance()];
      const admin = new Redis(server.url);
      await score(one, scoresOf('proj_snapshot', 30, Date.now() - 2 * hourMs));
      await other.counterRecovery.check('proj_snapshot');
      await admin.save();
      admin.disconnect();
      await score(one, scoresOf('proj_snapshot', 20, Date.now()));
      t.equal((await countsOf(one.counters, next('proj_snapshot'))).deviceSessionsDay, 51);

      const gone = new Promise(
        (resolve) => void waitUntil(() => other.counters.interruptions() > 0, 'it is gone').then(resolve),
      );
      server.kill('SIGKILL');
      await gone;
      const again = await startRedis({ port: server.port, args });
      if (again === null) throw new Error('Redis did not start again');
      server = again;
      await waitUntil(
        () =>
          one.counters.ping().then(
            () => true,
            () => false,
          ),
        'Redis is back',
      );
      await waitUntil(
        () =>
          other.counters.ping().then(
            () => true,
            () => false,
          ),
        'Redis is back',
      );
      t.match(await other.counters.checkComplete('proj_snapshot'), { isComplete: false, keptUpToMs: Number });
      const before = await one.counters.countScore(next('proj_snapshot'));
      t.match(before, { complete: false }, 'what is counted until then is not taken for all');
      await Promise.all([one.counterRecovery.check('proj_snapshot'), other.counterRecovery.check('proj_snapshot')]);
      await Promise.all([one.counterRecovery.settled(), other.counterRecovery.settled()]);
      const after = expectCounted(await one.counters.countScore(next('proj_snapshot')));
      t.equal(after.complete, true);
      t.equal(after.counts.deviceSessionsDay, 52, 'the score that was not recorded is the one that is missing');
      t.equal(
        (await one.restored()) + (await other.restored()),
        20,
        'one instance brought the end back, and no more than that',
      );
    },
  );

  t.test(
    'emptied while the consumers are behind, a project is whole when they have recorded what was scored',
    async (t) => {
      const one = await openInstance();
      const admin = new Redis(server.url);
      await log.append('scores', scoresOf('proj_behind', 40, Date.now() - hourMs).map(entryOf));
      await admin.flushall();
      await admin.quit();
      await one.counterRecovery.check('proj_behind');
      t.match(await one.counters.countScore(next('proj_behind')), { complete: false }, 'nobody knows yet');
      const consumer = await startReceiptConsumer({
        ...{ database, log, counters: one.counters, metrics: createMetrics() },
        ...{ setting: 'auto', now: Date.now },
      });
      t.teardown(() => consumer.stop());
      await waitUntil(async () => (await one.counters.checkComplete('proj_behind')).isComplete, 'it is whole');
      t.equal((await countsOf(one.counters, next('proj_behind'))).deviceSessionsDay, 42);
    },
  );

  t.test(
    'a rebuild that is cut off goes on where it was, in another process too; after one more loss it begins anew',
    async (t) => {
      const project = 'proj_cut';
      const count = 1_200;
      await recordScores(database, scoresOf(project, count, Date.now() - hourMs));
      const admin = new Redis(server.url);
      await admin.flushall();
      const cut = await openInstance({ limit: 600 });
      await cut.counterRecovery.check(project);
      await cut.counterRecovery.settled();
      t.equal(await cut.restored(), 500, 'a page was done');
      t.equal((await cut.counters.checkComplete(project)).isComplete, false);
      const claim = await admin.keys('*rebuild');
      t.equal(claim.length, 1);
      await admin.del(...claim);

      const other = await openInstance();
      await other.counterRecovery.check(project);
      await other.counterRecovery.settled();
      t.equal(await other.restored(), count - 500, 'what is left');
      t.equal((await countsOf(other.counters, next(project))).deviceSessionsDay, count + 1);
      t.same(await admin.keys('*rebuilt'), [], 'how far it was is forgotten with its end');

      await admin.flushall();
      const again = await openInstance({ limit: 600 });
      await again.counterRecovery.check(project);
      await again.counterRecovery.settled();
      await admin.flushall();
      const last = await openInstance();
      await last.counterRecovery.check(project);
      await last.counterRecovery.settled();
      t.equal(await last.restored(), count, 'all of it');
      await admin.quit();
    },
  );

  t.test('a receipt that cannot be read is left out, and keeps no project from coming back', async (t) => {
    const one = await openInstance();
    await recordScores(database, scoresOf('proj_damaged', 3, Date.now() - hourMs));
    await database.query(
      `UPDATE receipts SET record = '\\x81a1' WHERE receipt_id = (SELECT min(receipt_id) FROM receipts WHERE namespace = 'proj_damaged')`,
    );
    await one.counterRecovery.check('proj_damaged');
    await one.counterRecovery.settled();
    const { complete, counts } = expectCounted(await one.counters.countScore(next('proj_damaged')));
    t.same([complete, counts.deviceSessionsDay], [true, 3], 'the two that can be read, and this one');
  });

  t.test('a rebuild does not wait for ever for consumers that stand still, and says so', async (t) => {
    const one = await openInstance();
    const behind = { ...log, progress: async () => [{ partition: 0, start: 0, next: 1, end: 2 }] };
    const { counters, metrics } = one;
    const pool = { run: () => Promise.reject(new Error('nobody has a probe here')) };
    const counterRecovery = createCounterRecovery({
      ...{ database, lookups: database, counters, log: behind, pool, logger, metrics, now: Date.now },
      recordedPatienceMs: 200,
    });
    await recordScores(database, scoresOf('proj_waits', 3, Date.now() - hourMs));
    await counterRecovery.check('proj_waits');
    await counterRecovery.settled();
    t.match((await metrics.rebuilds.get()).values, [{ labels: { result: 'behind' }, value: 1 }]);
    t.match(await counters.countScore(next('proj_waits')), { complete: false }, 'its scores say that they are partial');
  });

  t.test('a project that is new waits for no rebuild', async (t) => {
    const one = await openInstance();
    await one.counterRecovery.check('proj_new');
    t.match(await one.counters.countScore(next('proj_new')), { complete: true });
  });

  t.test('one owner at a time rebuilds, and a loss in between ends its claim', async (t) => {
    const { counters } = await openInstance();
    const admin = new Redis(server.url);
    t.equal(await counters.claimRebuild('proj_claim', 'one', false), 'held');
    t.equal(await counters.claimRebuild('proj_claim', 'other', false), 'taken');
    t.equal(await counters.claimRebuild('proj_claim', 'one', true), 'held');
    t.equal(await counters.markComplete('proj_claim', 'other'), false);
    await admin.flushall();
    t.equal(await counters.claimRebuild('proj_claim', 'one', true), 'interrupted');
    t.equal(await counters.markComplete('proj_claim', 'one'), false);
    await admin.quit();
  });
}
