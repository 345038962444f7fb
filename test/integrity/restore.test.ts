/**
 * A loss of everything but the event log and the counters, or of the whole data directory, and the way back as docs/how-to/back-up-and-restore.md
 * says it, while load runs.
 */
import { execFile } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import type { Bootstrap } from '../../src/projects/operator/bootstrap.js';
import { auditLoad } from '../helpers/audit.js';
import { prepareBackUp } from '../helpers/back-up.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { migratedDirectory } from '../helpers/embedded.js';
import { commandEnvironment, programOf, startProcess, type ServiceProcess } from '../helpers/process.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { startScoreLoad, type ScoreLoad } from '../helpers/score-load.js';
import { createCall } from '../helpers/service.js';
import { findStack } from '../helpers/stores.js';
import { createTestKey, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(240_000);
const run = promisify(execFile);
const stack = findStack(t, 'a restore');
type Settings = Readonly<Record<string, string>>;
const quiet = { VH_POOL_THREADS: '1', VH_LOG_LEVEL: 'error', VH_WEBHOOK_ALLOW_PRIVATE: 'on' };

/** Load at whichever process answers at present. */
function startLoad(keys: Bootstrap, baseUrl: () => string | null): ScoreLoad {
  return startScoreLoad({ keys, members: [{ roles: 'api', baseUrl }] }, { callers: 2, events: true, breaks: true });
}

const command = (name: string, args: readonly string[], settings: Settings = {}) =>
  run(process.execPath, [...programOf(name), ...args], { env: { ...commandEnvironment, ...settings } });

/** Whether each of the five groups is measured, and behind by nothing. */
async function hasRead(adminUrl: string): Promise<boolean> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  const lags = [...metrics.matchAll(/^vh_log_lag_entries\{.*\} (\d+)$/gm)].map(([, lag]) => Number(lag));
  return lags.length === 5 && lags.every((lag) => lag === 0);
}

/** Verifies the chain as a customer does; its summary. */
const verifyChain = async (baseUrl: string, { projectKey }: Bootstrap): Promise<string> =>
  (await command('verify-receipts', ['--url', baseUrl, '--key', projectKey])).stdout;

/** Ids of receipts by session. The load does not go on, because it reports outcomes. */
async function scoreWithoutDatabase({ baseUrl, projectKey }: Bootstrap): Promise<ReadonlyMap<string, string>> {
  const call = createCall(baseUrl, projectKey);
  const receipts = new Map<string, string>();
  for (let n = 0; n < 5; n += 1) {
    const body = { sessionId: `meanwhile-${n}`, clientIp: '203.0.113.24' };
    const answer = await call('POST', '/lite/score', { body });
    if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    receipts.set(body.sessionId, (answer.body as { readonly receiptId: string }).receiptId);
  }
  return receipts;
}

/** Makes what is not scored: a study, a webhook, and verifications whose events it gets. */
async function createWork(bootstrap: Bootstrap, receiver: Receiver) {
  const service = { bootstrap, call: createCall(bootstrap.baseUrl, bootstrap.projectKey) };
  const headers = { 'x-api-key': await createTestKey(service) };
  const must = <T extends { readonly status: number; readonly body: unknown }>(answer: T): T['body'] => {
    if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const webhook = { url: receiver.url, events: ['verification.completed'] };
  must(await service.call('POST', `/projects/${bootstrap.projectId}/webhooks`, { body: webhook, headers }));
  const sessions: string[] = [];
  return {
    sessions,
    verifyOne: async (): Promise<void> => {
      const body = { respondentId: 'test_pass_device_only' };
      const session = must(await service.call('POST', '/sessions', { body, headers }));
      sessions.push((must(await verify(service, session)) as { readonly sessionId: string }).sessionId);
    },
  };
}

const deliveredTo = ({ received }: Receiver): ReadonlySet<string> =>
  new Set(received.map(({ body }) => (JSON.parse(body) as { data: { session_id: string } }).data.session_id));

if (stack !== null)
  t.test(
    'a lost database is restored, and nothing that was acknowledged is lost but what the page names',
    async (t) => {
      const { KAFKA_TOPIC_PREFIX: prefix, ...shared } = await realStoreSettings(t, stack);
      const places = await prepareBackUp(t, stack);
      const settings = { ...quiet, ...shared, KAFKA_TOPIC_PREFIX: prefix, VH_WEBHOOK_BACKOFF_SECONDS: '10,10,10,10' };
      const directories = { api: temporaryDirectory(t), consumers: temporaryDirectory(t) };
      const start = (VH_ROLES: keyof typeof directories, DATABASE_URL: string): ServiceProcess =>
        startProcess(t, { ...settings, DATABASE_URL, VH_ROLES, VH_DATA_DIR: directories[VH_ROLES] });
      let api = start('api', places.from);
      const bootstrap = await api.ready();
      let consumers = start('consumers', places.from);
      let baseUrl: string | null = bootstrap.baseUrl;
      const receiver = await startReceiver(t);
      receiver.answer((_received, response) => response.writeHead(503).end());
      const work = await createWork(bootstrap, receiver);
      // Everything before it is recorded: nothing.
      const backupAt = new Date().toISOString();
      const load = startLoad(bootstrap, () => baseUrl);
      await load.further(20);
      await work.verifyOne();
      await waitUntil(() => receiver.received.length > 0, 'a webhook waits for its next attempt');

      await places.backUp();
      await load.further(20);
      await work.verifyOne();
      await waitUntil(() => deliveredTo(receiver).size === 2, 'so does one of after the backup');
      await consumers.end('SIGTERM');
      await places.destroy();
      const meanwhile = await scoreWithoutDatabase(bootstrap);

      await places.restore();
      const restored = { ...settings, DATABASE_URL: places.into, VH_DATA_DIR: directories.consumers };
      const line = ['restored', '--backup', backupAt];
      const withoutKafka = { ...restored, KAFKA_BROKERS: '127.0.0.1:9' };
      await t.rejects(command('admin', line, withoutKafka), /event log was not reset .*Stop all consumers/);
      const { stdout: noted } = await command('admin', line, restored);
      t.match(JSON.parse(noted), {
        backupAt,
        groupsReset: ['scores.receipts', 'outcomes.history', 'verifications.analytics', 'verifications.webhooks'].map(
          (group) => prefix + group,
        ),
      });

      receiver.answer((_received, response) => response.writeHead(200).end());
      const answeredBefore = receiver.received.length;
      baseUrl = null;
      await api.end('SIGTERM');
      api = start('api', places.into);
      baseUrl = (await api.listening()).baseUrl;
      consumers = start('consumers', places.into);
      await load.further(20);
      await load.stop();
      const { adminUrl } = await consumers.listening();
      await waitUntil(() => hasRead(adminUrl), 'all is read, by the metric that the page names');
      await auditLoad(t, places.into, { ...load, receipts: new Map([...load.receipts, ...meanwhile]) });
      const again = () => deliveredTo({ ...receiver, received: receiver.received.slice(answeredBefore) });
      await waitUntil(
        () => work.sessions.every((id) => again().has(id)),
        'waiting webhooks come, also of after the backup',
      );
      t.match(await verifyChain(baseUrl, bootstrap), /receipts/);
    },
  );

t.test('a copy of the embedded data directory is a whole installation', async (t) => {
  const directory = await migratedDirectory(t);
  const copy = join(temporaryDirectory(t), 'copy');
  const environment = { ...quiet, VH_DATA_DIR: directory };
  let service = startProcess(t, environment);
  const bootstrap = await service.ready();
  let baseUrl: string | null = bootstrap.baseUrl;
  const receiver = await startReceiver(t);
  const work = await createWork(bootstrap, receiver);
  const kept = startLoad(bootstrap, () => baseUrl);
  await kept.further(20);
  await work.verifyOne();
  await kept.stop();
  await service.end('SIGTERM');
  cpSync(directory, copy, { recursive: true });

  service = startProcess(t, environment);
  ({ baseUrl } = await service.listening());
  const late = { sessionId: 'after-the-copy', clientIp: '203.0.113.24' };
  t.equal((await createCall(baseUrl, bootstrap.projectKey)('POST', '/lite/score', { body: late })).status, 200);
  await service.end('SIGKILL');
  rmSync(directory, { recursive: true });
  cpSync(copy, directory, { recursive: true });

  service = startProcess(t, environment);
  ({ baseUrl } = await service.listening());
  const call = createCall(baseUrl, bootstrap.projectKey);
  const sessions = await call('GET', '/lite/sessions?limit=200');
  t.equal((sessions.body as { sessions: readonly unknown[] }).sessions.length, kept.receipts.size);
  t.match(await verifyChain(baseUrl, bootstrap), `signatures: ${kept.receipts.size} receipts`);
  await waitUntil(() => work.sessions.every((id) => deliveredTo(receiver).has(id)), 'each webhook is delivered');
});
