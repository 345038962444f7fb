/** Reports to an operator about a store that replies and does not serve, and about one that a start cannot use. */
import t from 'tap';
import { Redis } from 'ioredis';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import { sendOperatorCommand } from '../../src/projects/operator/operator-channel.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { startProcess } from '../helpers/process.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';
import { createDatabase, findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';
import { startRedis } from '../stores/counters/redis-server.js';

const stack = findStack(t, 'stores that answer and take no writes');
const redis = stack === null ? null : await startRedis();

if (stack !== null && redis !== null) {
  t.teardown(() => redis.close());
  t.test(
    'a store that answers and takes no writes is not ready, and is named with its place and the cause',
    async (t) => {
      const url = new URL(await createDatabase(t, stack));
      url.password = 'not-for-the-log';
      const { bootstrap, dataDirectory } = await startTestService(t, { DATABASE_URL: url.href, REDIS_URL: redis.url });
      const checks = async (): Promise<Record<string, string>> =>
        ((await (await fetch(`${bootstrap.adminUrl}/readyz`)).json()) as { checks: Record<string, string> }).checks;
      await waitUntil(async () => Object.values(await checks()).every((check) => check === 'ok'), 'all is well');

      const name = url.pathname.slice(1);
      const server = await openPostgres({ url: stack.databaseUrl, poolMax: 1, deadlineMs: 5_000 });
      t.teardown(() => server.close());
      await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      const client = new Redis(redis.url);
      await client.config('SET', 'min-replicas-to-write', 1);
      await waitUntil(
        async () => (await checks())['database']?.includes('25006') === true,
        'the database is read-only',
      );
      const { database, counters, log } = await checks();
      t.ok(database?.startsWith(`PostgreSQL at ${url.host}/${name}: `), `${database}`);
      t.match(counters, new RegExp(`^Redis at 127\\.0\\.0\\.1:${redis.port}: .*NOREPLICAS`));
      t.notMatch(`${database}${counters}${log}`, 'not-for-the-log');
      const command = {
        ...({ name: 'N', tier: 'free', liteEnabled: true } as const),
        command: 'create-organization',
      } as const;
      t.match(
        await sendOperatorCommand(bootstrap.adminUrl, loadMasterKey(dataDirectory), command),
        { outcome: 'refused', message: /25006/ },
        'an operator’s command tells the cause, too',
      );
      const metrics = await (await fetch(`${bootstrap.adminUrl}/metrics`)).text();
      t.match(metrics, /vh_store_up\{store="database"\} 0\n/);
      t.match(metrics, /vh_store_up\{store="counters"\} 0\n/);

      await server.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
      await client.config('SET', 'min-replicas-to-write', 0);
      await waitUntil(async () => Object.values(await checks()).every((check) => check === 'ok'), 'all is well again');
      client.disconnect();
      redis.kill('SIGKILL');
      await waitUntil(async () => /ECONNREFUSED/.test((await checks())['counters'] ?? ''), 'a closed port is told');
    },
  );
}

t.test('a start that cannot use its database says which, where and why, and no secret', async (t) => {
  const process = startProcess(t, {
    VH_DATA_DIR: temporaryDirectory(t),
    DATABASE_URL: 'postgres://vh:not-for-the-log@127.0.0.1:1/vh?application_name=not-for-the-log',
  });
  await t.rejects(process.listening());
  const { stderr } = process.output();
  t.match(
    stderr,
    /did not start: PostgreSQL at 127\.0\.0\.1:1\/vh cannot be used: .*ECONNREFUSED.*\. Check DATABASE_URL/,
  );
  t.notMatch(stderr, 'not-for-the-log');
});
