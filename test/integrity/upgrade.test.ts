/**
 * An upgrade and the way back, as docs/how-to/upgrade.md says it: two installed releases, two processes behind the balancer that ships, and load of
 * scores, outcomes and verifications with their webhooks throughout.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import t from 'tap';
import { packageVersion } from '../../src/package-root.js';
import type { Bootstrap } from '../../src/projects/operator/bootstrap.js';
import { auditCounts, auditLoad } from '../helpers/audit.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { blocksOf } from '../helpers/guide-blocks.js';
import { freePorts } from '../helpers/ports.js';
import { startProcess, type ServiceProcess } from '../helpers/process.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startReceiver } from '../helpers/receiver.js';
import { packLater, packRelease, unpack } from '../helpers/release.js';
import { repositoryPath } from '../helpers/repository.js';
import { startScoreLoad } from '../helpers/score-load.js';
import { createCall, type TestService } from '../helpers/service.js';
import { createEmptyDatabase, findStack } from '../helpers/stores.js';
import { createTestKey, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(480_000);
type Test = Pick<typeof t, 'teardown'>;
const run = promisify(execFile);
const stack = findStack(t, 'an upgrade');
const hasBalancer = spawnSync('haproxy', ['-v']).status === 0;
if (!hasBalancer) t.comment('Left out: an upgrade. haproxy is not installed (deploy/system-packages.txt).');
if (!hasBalancer && process.env['VH_REQUIRE_STACK'] === '1') t.fail('haproxy is not installed');

/** Between two calls of a caller, so that the machine has time for starts. */
const pauseMs = 200;
const laterVersion = '0.2.0';
const laterMigration = '9999-of-a-later-version.sql';
const [install = '', migrate = ''] = blocksOf('docs/how-to/upgrade.md').map(({ code }) => code);

const shell = (code: string, cwd: string, environment: Readonly<Record<string, string>> = {}) =>
  run('sh', ['-ec', code], { cwd, env: { ...process.env, ...environment } });

/** The folders of both releases: the later one installed as the page says, with the packages that the other one has too. */
async function installBoth(test: Test): Promise<readonly [string, string]> {
  const folder = temporaryDirectory(test);
  const tarball = await packRelease(test);
  const packed = await packLater(test, tarball, laterVersion, laterMigration);
  copyFileSync(packed, join(folder, basename(packed)));
  await shell(install, folder);
  const [own, later] = [packageVersion, laterVersion].map((version) => join(folder, `verifyhuman-${version}`)) as [
    string,
    string,
  ];
  mkdirSync(own);
  await unpack(tarball, own);
  await run('cp', ['-R', join(later, 'node_modules'), own]);
  return [own, later];
}

/** A process that keeps its ports and its data directory from one version to the next. */
function createPlace(test: Test, settings: Readonly<Record<string, string>>, [port, adminPort]: readonly number[]) {
  const directory = temporaryDirectory(test);
  let running: ServiceProcess | null = null;
  return {
    ...{ port, adminPort },
    baseUrl: () => `http://127.0.0.1:${port}/api/v1`,
    log: () => running?.output().stderr ?? '',
    end: async () => running?.end('SIGTERM'),
    /** Starts the version of a folder, and waits as the page says. */
    async start(folder: string): Promise<Bootstrap | null> {
      running = startProcess(
        test,
        { ...settings, VH_DATA_DIR: directory, PORT: String(port), ADMIN_PORT: String(adminPort) },
        'npm-start',
        folder,
      );
      await running.listening();
      const isReady = async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status === 200;
      await waitUntil(isReady, 'it is ready');
      return running.ready().catch(() => null);
    },
  };
}

/** HAProxy with the file that ships. */
async function startBalancer(test: Test, places: readonly ReturnType<typeof createPlace>[], url: string) {
  const [one, two] = places;
  const haproxy = spawn('haproxy', ['-db', '-f', repositoryPath('deploy/balancer/haproxy.cfg')], {
    stdio: 'ignore',
    env: {
      ...{ PATH: process.env['PATH'] ?? '', BALANCER_LISTEN: new URL(url).host },
      ...{ API_ONE: `127.0.0.1:${one?.port}`, ADMIN_ONE: String(one?.adminPort) },
      ...{ API_TWO: `127.0.0.1:${two?.port}`, ADMIN_TWO: String(two?.adminPort) },
    },
  });
  test.teardown(() => haproxy.kill('SIGKILL'));
  await waitUntil(async () => (await fetch(`${url}/api/v1/openapi.json`).catch(() => null))?.ok === true, 'it is up');
}

/** Verifies one session after the other until it is stopped. */
async function startVerifications(service: Pick<TestService, 'call' | 'bootstrap'>, receiver: string) {
  const headers = { 'x-api-key': await createTestKey(service) };
  const webhook = { url: receiver, events: ['verification.completed'] };
  const made = await service.call('POST', `/projects/${service.bootstrap.projectId}/webhooks`, {
    body: webhook,
    headers,
  });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const passed: string[] = [];
  const faults: string[] = [];
  let isStopped = false;
  const verifyOne = async (): Promise<void> => {
    const session = await service.call('POST', '/sessions', {
      body: { respondentId: 'test_pass_device_only' },
      headers,
    });
    if (session.status !== 201) throw new Error(`${session.status} ${JSON.stringify(session.body)}`);
    const verdict = await verify(service, session.body);
    if (verdict.status !== 200) throw new Error(`${verdict.status} ${JSON.stringify(verdict.body)}`);
    passed.push(verdict.body.sessionId);
  };
  const working = (async () => {
    while (!isStopped) {
      await verifyOne().catch((error: Error) => faults.push(error.message));
      await pause(pauseMs);
    }
  })();
  const stop = async (): Promise<void> => {
    isStopped = true;
    await working;
  };
  return { passed, faults, stop };
}

/** Writes and reads what the later version changed: both versions read what either wrote. */
function createReader(
  test: Pick<typeof t, 'equal'>,
  { call, bootstrap }: Pick<TestService, 'call' | 'bootstrap'>,
  receipts: ReadonlyMap<string, string>,
) {
  const headers = { 'x-api-key': bootstrap.organizationKey };
  const phases: { readonly externalId: string; readonly receiptId: string }[] = [];
  return async (externalId: string): Promise<void> => {
    await call('POST', '/projects/provision', { body: { name: externalId, externalId }, headers });
    phases.push({ externalId, receiptId: [...receipts.values()].at(-1) ?? '' });
    for (const phase of phases) {
      const found: { readonly projects: readonly unknown[] } = (
        await call('GET', `/projects?externalId=${phase.externalId}`, { headers })
      ).body;
      test.equal(found.projects.length, 1, `the project of ${phase.externalId} is found`);
      const evidence = await call('GET', `/lite/score/${phase.receiptId}/evidence`);
      test.equal(evidence.status, 200, `and the evidence of ${phase.receiptId}`);
    }
  };
}

if (stack !== null && hasBalancer)
  t.test(
    'processes are replaced by a later version and back, and no call, score, outcome or webhook is lost',
    async (t) => {
      const [own, later] = await installBoth(t);
      const [listen = 0, ...ports] = await freePorts(5);
      const url = `http://127.0.0.1:${listen}`;
      const settings = {
        ...(await realStoreSettings(t, stack)),
        ...{ DATABASE_URL: await createEmptyDatabase(t, stack), VH_SITE_URL: url, VH_WEBHOOK_ALLOW_PRIVATE: 'on' },
        ...{ VH_DRAIN_SECONDS: '3', VH_POOL_THREADS: '1', VH_LOG_LEVEL: 'warn' },
      };
      const places = [ports.slice(0, 2), ports.slice(2)].map((pair) => createPlace(t, settings, pair));
      const keys = await Promise.all(places.map((place) => place.start(own)));
      const bootstrap = keys.find((found) => found !== null);
      if (bootstrap == null) throw new Error('No process made the demo organization.');
      await startBalancer(t, places, url);

      const receiver = await startReceiver(t);
      const service = { bootstrap, call: createCall(`${url}/api/v1`, bootstrap.projectKey) };
      const balanced = { keys: bootstrap, members: [{ roles: 'api', baseUrl: () => `${url}/api/v1` }] };
      const verifications = await startVerifications(service, receiver.url);
      const load = startScoreLoad(balanced, { callers: 3, events: true, pauseMs });
      const stopCalls = () => Promise.all([load.stop(), verifications.stop()]);
      t.teardown(stopCalls);
      await load.further(20);
      const readAll = createReader(t, service, load.receipts);
      await readAll('before');
      t.match(await shell(migrate, later, settings), { stdout: laterMigration });
      for (const folder of [later, own])
        for (const [n, place] of places.entries()) {
          t.equal(await place.end(), 0, 'it ends well');
          await place.start(folder);
          const { version } = (await (await fetch(`http://127.0.0.1:${place.adminPort}/healthz`)).json()) as {
            version: string;
          };
          t.equal(version, folder === own ? packageVersion : laterVersion);
          t.equal(place.log().includes(laterMigration), folder === own, 'an older version says what it runs beside');
          await load.further(20);
          await readAll(`${folder === own ? 'back' : 'later'}-${n}`);
        }
      await stopCalls();

      t.equal(load.answers.refused, 0, 'no call was answered by 503');
      await auditLoad(t, settings.DATABASE_URL, load);
      await auditCounts(t, { keys: bootstrap, members: balanced.members as never }, load, load.answers.degraded === 0);
      t.same([...new Set(verifications.faults)], []);
      const delivered = () =>
        new Set(
          receiver.received.map(({ body }) => (JSON.parse(body) as { data: { session_id: string } }).data.session_id),
        );
      await waitUntil(() => verifications.passed.every((id) => delivered().has(id)), 'each webhook is delivered');
      t.comment(`${load.receipts.size} scores, ${verifications.passed.length} verifications`);

      await Promise.all(places.map((place) => place.end()));
      const alone = await fetch(`${url}/api/v1/openapi.json`);
      t.equal(alone.status, 503, 'with no process left the balancer answers by itself');
      t.ok(Number(alone.headers.get('retry-after')) >= 1);
      t.match(await alone.json(), { code: 'OVERLOADED', message: String, requestId: String });
    },
  );
