import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readSettings } from '../../src/config/read.js';
import { lockDataDirectory } from '../../src/stores/data-lock.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { openStores, type Stores } from '../../src/stores/open.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

const stack = findStack(t, 'mixes of real and embedded stores');

async function open(
  t: Test,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly stores: Stores; readonly directory: string }> {
  const directory = temporaryDirectory(t);
  const stores = await openStores({
    settings: readSettings({ VH_DATA_DIR: directory, ...environment }),
    logger: createLogger('silent'),
    metrics: createMetrics(),
  });
  t.teardown(() => stores.close());
  return { stores, directory };
}

/** Appended entries arrive, the counters and the database answer. */
async function checkStores(t: Test, { database, lookups, counters, log }: Stores): Promise<void> {
  const seen: string[] = [];
  await log.subscribe({
    topic: 'scores',
    group: 'test',
    batchMax: 10,
    handle: async (entries) => void seen.push(...entries.map(({ key }) => key)),
  });
  await log.append('scores', [{ key: 'k', value: new Uint8Array([1]) }]);
  await waitUntil(() => seen.includes('k'), 'the entry arrives');
  await Promise.all([database.ping(), lookups.ping(), counters.ping(), log.ping()]);
  t.same(await lookups.query('SELECT count(*) AS n FROM organizations'), [{ n: 0 }]);
}

t.test('without addresses everything is embedded, and the data directory is locked', async (t) => {
  const { stores, directory } = await open(t, {});
  await checkStores(t, stores);
  t.ok(existsSync(join(directory, 'database')));
  await t.rejects(lockDataDirectory(directory, { waitMs: 0 }), { name: 'DataDirectoryInUse' });
  await stores.close();
  await (await lockDataDirectory(directory)).release();
});

if (stack !== null) {
  const names = ['DATABASE_URL', 'REDIS_URL', 'KAFKA_BROKERS'] as const;
  for (let mix = 1; mix < 8; mix++) {
    const real = names.filter((_, bit) => (mix & (1 << bit)) !== 0);
    t.test(`real by ${real.join(', ')}, the rest embedded: entries arrive and all answer`, async (t) => {
      const all = await realStoreSettings(t, stack);
      const chosen = Object.fromEntries(
        Object.entries(all).filter(
          ([name]) => !(names as readonly string[]).includes(name) || real.some((one) => one === name),
        ),
      );
      const { stores } = await open(t, chosen);
      await checkStores(t, stores);
    });
  }

  t.test('a start that waits for its database says so, where and what to check, without a password', async (t) => {
    const { DATABASE_URL } = await realStoreSettings(t, stack);
    const url = new URL(DATABASE_URL);
    url.password = 'secret';
    const holder = await openPostgres({ url: url.href, poolMax: 1, deadlineMs: 60_000 });
    t.teardown(() => holder.close());
    const lines: string[] = [];
    let opening: Promise<Stores> | undefined;
    await holder.transaction(async (tx) => {
      await tx.query('LOCK TABLE migrations IN ACCESS EXCLUSIVE MODE');
      opening = openStores({
        settings: readSettings({ VH_DATA_DIR: temporaryDirectory(t), DATABASE_URL: url.href }),
        logger: createLogger('warn', { write: (line) => void lines.push(line) }),
        metrics: createMetrics(),
      });
      await waitUntil(() => lines.length > 0, 'a line of the log');
    });
    await (await opening)?.close();
    t.equal(lines.length, 1, lines.join(''));
    t.match(
      lines[0],
      `the start waits for PostgreSQL at ${url.host}${url.pathname}, for 3 s now. Check that the server`,
    );
    t.notMatch(lines[0], 'secret');
  });

  t.test('a process that keeps nothing in its data directory leaves it to others', async (t) => {
    const { directory } = await open(t, { ...(await realStoreSettings(t, stack)), VH_ROLES: 'consumers' });
    await t.resolves(lockDataDirectory(directory).then((lock) => lock.release()));
  });
}
