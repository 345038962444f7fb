import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import t from 'tap';
import { commandEnvironment, programOf, startProcess } from '../helpers/process.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { migratedDirectory } from '../helpers/embedded.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(240_000);

const run = promisify(execFile);

/** Runs a command; answers the one line that it prints. */
async function admin(dataDirectory: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(process.execPath, [...programOf('admin'), ...args], {
    env: {
      ...commandEnvironment,
      VH_DATA_DIR: dataDirectory,
      ADMIN_PORT: '0',
      PORT: '0',
      AUDIENCE_PORT: '0',
    },
  });
  if (!/^\{.*\}\n$/.test(stdout)) throw new Error(`not one line of JSON: ${stdout}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function statusOf(url: string, key: unknown): Promise<number> {
  const answer = await fetch(url, { headers: { 'x-api-key': String(key), 'content-type': 'application/json' } });
  await answer.body?.cancel();
  return answer.status;
}

t.test('while no service runs and while one does, organizations are made by the same command', async (t) => {
  const directory = await migratedDirectory(t);
  const first = startProcess(t, { VH_DATA_DIR: directory });
  await first.ready();
  await first.end('SIGTERM');
  const alone = await admin(directory, 'create-organization', '--name', 'Made alone', '--lite', 'off');
  t.same(Object.keys(alone), ['organizationId', 'organizationKey', 'liteEnabled', 'scoring']);
  t.match(alone['scoring'], `off; npm run admin -- enable-lite --org ${String(alone['organizationId'])}`);

  const service = startProcess(t, { VH_DATA_DIR: directory });
  const { baseUrl } = await service.ready();
  t.equal(await statusOf(`${baseUrl}/organizations/me/settings`, alone['organizationKey']), 200);

  const asked = await admin(
    directory,
    'create-organization',
    '--name',
    'Made by the service',
    '--tier',
    'professional',
  );
  t.match(asked, { liteEnabled: true, scoring: /^on; / }, 'scoring is on unless told otherwise, and that is said');
  t.equal(await statusOf(`${baseUrl}/organizations/me/settings`, asked['organizationKey']), 200);
  const key = await admin(
    directory,
    'create-key',
    '--org',
    String(asked['organizationId']),
    '--test',
    '--expires-in-days',
    '3',
  );
  t.match(key, { apiKey: /^vf_org_test_/, expiresAt: /Z$/ });
  t.equal(await statusOf(`${baseUrl}/api-keys/current`, key['apiKey']), 200);
  t.match(await admin(directory, 'set-quota', '--org', String(asked['organizationId']), '--monthly', '250'), {
    monthlyQuota: 250,
    tier: 'professional',
  });
  t.match(await admin(directory, 'enable-lite', '--org', String(asked['organizationId'])), { liteEnabled: true });
  await t.rejects(admin(directory, 'set-tier', '--org', 'org_of_nobody', '--tier', 'free'), {
    message: /The organization was not found\./,
  });
  const score = async (): Promise<number> => {
    const answer = await fetch(`${baseUrl}/lite/score`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': String(alone['organizationKey']) },
      body: JSON.stringify({ sessionId: 's', clientIp: '203.0.113.24' }),
    });
    return answer.status;
  };
  t.same([await score(), await score()], [404, 404], 'scoring is off');
  const command = `enable-lite --org ${String(alone['organizationId'])}`;
  t.equal(service.output().stderr.split(command).length, 2, 'the log names the switch, once');
  t.notMatch(service.output().stderr, /vf_/, 'no key is in the log');

  const repeated = await admin(directory, 'create-organization', '--name', 'Made alone');
  t.match(repeated, { organizationId: alone['organizationId'], organizationKey: /^vf_/ });
  t.not(repeated['organizationKey'], alone['organizationKey'], 'the first was shown once; this is a further one');
  const listed = await admin(directory, 'list-organizations');
  const names = (listed['organizations'] as readonly { readonly name: string }[]).map(({ name }) => name).sort();
  t.same(names, ['Demo organization', 'Made alone', 'Made by the service'], 'the repeat made no second organization');
  const bootstrap = await service.ready();
  const scored = await fetch(`${baseUrl}/lite/score`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': bootstrap.projectKey },
    body: JSON.stringify({ sessionId: 'to-be-shown', clientIp: '203.0.113.24' }),
  });
  const { receiptId, score: value } = (await scored.json()) as { receiptId: string; score: number };
  await waitUntil(
    async () => (await admin(directory, 'show-receipt', receiptId))['score'] === value,
    'it is recorded and shown',
    30_000,
  );
});

t.test('a command names its target, and where nothing names one it is refused and makes nothing', async (t) => {
  const directory = temporaryDirectory(t);
  const call = (environment: Record<string, string>, ...args: readonly string[]) =>
    run(process.execPath, [...programOf('admin'), ...args], {
      cwd: directory,
      env: { ...commandEnvironment, ADMIN_PORT: '0', ...environment },
    });
  const VH_MASTER_KEY = Buffer.alloc(32, 5).toString('base64');
  const create = ['create-organization', '--name', 'N'] as const;
  const DATABASE_URL = 'postgres://u:hunter2@127.0.0.1:1/vh';
  const token = run(process.execPath, [...programOf('token'), '--role', 'owner', '--org', 'org_a'], {
    cwd: directory,
    env: { ...commandEnvironment },
  });
  await Promise.all([
    t.rejects(token, { message: /\nThe master key is missing: / }),
    t.rejects(call({}, ...create), { message: /\nThe master key is missing: / }),
    t.rejects(call({ VH_MASTER_KEY }, ...create), { message: /\nNo database is set / }),
    t.rejects(call({ VH_MASTER_KEY, VH_DATA_DIR: directory }, ...create), {
      message: /has no tables of this service.*admin -- migrate/,
    }),
    t.rejects(call({ VH_MASTER_KEY, DATABASE_URL }, ...create), {
      message: /\nTarget: the database vh at 127\.0\.0\.1:1\n(?![^]*hunter2)/,
    }),
  ]);
  t.same(readdirSync(directory), [], 'no command makes a database in passing');
  const { stdout } = await call({ VH_DATA_DIR: directory }, 'migrate');
  t.match((JSON.parse(stdout) as { applied: string[] }).applied, ['0001-log.sql'], 'the one that is for it does');
  const made = await call({ VH_MASTER_KEY, VH_DATA_DIR: directory }, ...create);
  t.match(made.stderr, `Target: the embedded database in ${directory}\nIts schema is `);
  t.match(made.stderr, /00\d\d-[a-z-]+\.sql; Redis and Kafka are not touched/);
});

t.test('the target is said before the service there is told to do anything', async (t) => {
  let said = '';
  const saidBefore: string[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      // The command's output so far has to arrive here before it counts.
      setImmediate(() => {
        if (request.method === 'POST') saidBefore.push(said);
        const found = { stores: ['PostgreSQL at db/vh', 'Redis at r', 'Kafka at k'], schema: '0001-a' };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
      });
    });
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, [...programOf('admin'), 'list-organizations'], {
    env: {
      ...commandEnvironment,
      VH_DATA_DIR: temporaryDirectory(t),
      VH_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
      ADMIN_PORT: String(port),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  t.same(await once(child, 'exit'), [0, null]);
  t.same(saidBefore, [
    `Target: the service at http://127.0.0.1:${port} (PostgreSQL at db/vh, Redis at r, Kafka at k; schema 0001-a)\n`,
  ]);
});
