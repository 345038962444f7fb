/** Two API processes behind the balancer that ships, one after the other replaced, while a later version has migrated the database. */
import { spawn, spawnSync } from 'node:child_process';
import t from 'tap';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { repositoryPath } from '../helpers/repository.js';
import { startProcess, type ServiceProcess } from '../helpers/process.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { freePorts } from '../helpers/ports.js';
import { findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(240_000);
const stack = findStack(t, 'a rolling restart');
const hasBalancer = spawnSync('haproxy', ['-v']).status === 0;
if (!hasBalancer) t.comment('Left out: a rolling restart. haproxy is not installed (deploy/system-packages.txt).');
if (!hasBalancer && process.env['VH_REQUIRE_STACK'] === '1') t.fail('haproxy is not installed');

/** Callers that go on until they are stopped, and what they were answered. */
function startCallers(url: string, apiKey: string, callers: number) {
  const answers: Record<string, number> = {};
  let isStopped = false;
  const call = async (caller: number): Promise<void> => {
    for (let n = 0; !isStopped; n++) {
      const outcome = await fetch(`${url}/api/v1/lite/score`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
        body: JSON.stringify({ sessionId: `caller-${caller}-${n}`, clientIp: '203.0.113.24' }),
      }).then(
        async (answer) => `${answer.status} ${answer.ok ? '' : await answer.text()}`.trim(),
        (error: Error) => (error.cause instanceof Error ? error.cause.message : error.message),
      );
      answers[outcome] = (answers[outcome] ?? 0) + 1;
    }
  };
  const calling = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  const answered = (): number => answers['200'] ?? 0;
  return {
    answers,
    further: async (count: number): Promise<void> => {
      const goal = answered() + count;
      await waitUntil(() => answered() >= goal, `${count} more scores`, 30_000);
    },
    stop: async (): Promise<void> => {
      isStopped = true;
      await calling;
    },
  };
}

if (stack !== null && hasBalancer)
  t.test(
    'no call is lost while each process is replaced, beside a database that a later version has migrated',
    async (t) => {
      const settings = await realStoreSettings(t, stack);
      const [balancer = 0, ...ports] = await freePorts(5);
      const processes = [0, 1].map((number) => {
        const [port, adminPort] = [ports[number * 2] ?? 0, ports[number * 2 + 1] ?? 0];
        const directory = temporaryDirectory(t);
        let running: ServiceProcess | null = null;
        return {
          ...{ port, adminPort },
          async start(): Promise<string | null> {
            running = startProcess(t, {
              ...{ ...settings, VH_ROLES: 'api', VH_DRAIN_SECONDS: '3', VH_POOL_THREADS: '1', VH_LOG_LEVEL: 'warn' },
              ...{ VH_DATA_DIR: directory, PORT: String(port), ADMIN_PORT: String(adminPort) },
            });
            await running.listening();
            return running.ready().then(
              ({ projectKey }) => projectKey,
              () => null,
            );
          },
          end: () => running?.end('SIGTERM'),
          log: () => running?.output().stderr ?? '',
        };
      });
      const [one, two] = processes;
      if (one === undefined || two === undefined) throw new Error('there are two');
      const keys = await Promise.all([one.start(), two.start()]);
      const haproxy = spawn('haproxy', ['-db', '-f', repositoryPath('deploy/balancer/haproxy.cfg')], {
        stdio: 'ignore',
        env: {
          ...{ PATH: process.env['PATH'] ?? '', BALANCER_LISTEN: `127.0.0.1:${balancer}` },
          ...{ API_ONE: `127.0.0.1:${one.port}`, ADMIN_ONE: String(one.adminPort) },
          ...{ API_TWO: `127.0.0.1:${two.port}`, ADMIN_TWO: String(two.adminPort) },
        },
      });
      t.teardown(() => haproxy.kill('SIGKILL'));
      const url = `http://127.0.0.1:${balancer}`;
      await waitUntil(
        async () => (await fetch(`${url}/api/v1/openapi.json`).catch(() => null))?.ok === true,
        'it is up',
      );

      const callers = startCallers(url, keys.find((key) => key !== null) ?? '', 4);
      await callers.further(20);
      const database = await openPostgres({ url: settings.DATABASE_URL, poolMax: 1, deadlineMs: 10_000 });
      t.teardown(() => database.close());
      await database.query('ALTER TABLE projects ADD COLUMN of_a_later_version text');
      await database.query(
        `INSERT INTO migrations (name, sha256, major) VALUES ('9999-of-a-later-version.sql', '', 0)`,
      );
      for (const replaced of processes) {
        t.equal(await replaced.end(), 0, 'it ends well');
        await replaced.start();
        t.match(replaced.log(), '9999-of-a-later-version.sql', 'the older version says what it runs beside');
        await callers.further(20);
      }
      await callers.stop();
      t.same(Object.keys(callers.answers), ['200'], JSON.stringify(callers.answers));

      await Promise.all(processes.map(async (process) => process.end()));
      const alone = await fetch(`${url}/api/v1/openapi.json`);
      t.equal(alone.status, 503, 'with no process left the balancer answers by itself');
      t.ok(Number(alone.headers.get('retry-after')) >= 1);
      t.match(await alone.json(), { code: 'OVERLOADED', message: String, requestId: String });
    },
  );
