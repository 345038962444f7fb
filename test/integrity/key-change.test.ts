/**
 * Processes killed while the master key is changed, as an operator changes it: the new key for reading, then as the current one, process by process.
 * INTEGRITY_KEY_KILLS says how often (`npm run soak` asks for many).
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { checkValueOf } from '../../src/administration/master-keys.js';
import { createSigningSecrets } from '../../src/administration/signing-secrets.js';
import type { ScoreReply } from '../../src/contract/score.js';
import type { Database } from '../../src/stores/database/port.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { createRandom } from '../../workers/seeded-random.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startProcess, type ServiceProcess } from '../helpers/process.js';
import { startTestService, type TestService } from '../helpers/service.js';
import { createDatabase, findStack } from '../helpers/stores.js';
import { createSession, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';
import { freePort } from '../helpers/ports.js';

const killsMax = Number(process.env['INTEGRITY_KEY_KILLS'] ?? 6);
const seed = Number(process.env['INTEGRITY_SEED'] ?? 1);
const upMsMax = 2_000;
t.setTimeout(120_000 + killsMax * 5_000);

const [first, second] = [randomBytes(32), randomBytes(32)];
const base64 = (key: Uint8Array): string => Buffer.from(key).toString('base64');
/** The keys of a process, step by step. */
const steps = {
  before: { VH_MASTER_KEY: base64(first) },
  reading: { VH_MASTER_KEY: base64(first), VH_MASTER_KEYS_KEPT: base64(second) },
  changed: { VH_MASTER_KEY: base64(second), VH_MASTER_KEYS_KEPT: base64(first) },
};
type Step = keyof typeof steps;

const stack = findStack(t, 'kills while the master key is changed');
if (stack !== null) {
  const stores = { DATABASE_URL: await createDatabase(t, stack), REDIS_URL: stack.redisUrl };
  const database = await openPostgres({ url: stores.DATABASE_URL, poolMax: 3, deadlineMs: 10_000 });
  t.teardown(() => database.close());
  const directory = temporaryDirectory(t);
  const receipts: string[] = [];
  const tokens: string[] = [];

  // Tokens name the address of the service, which stays.
  const PORT = String(await freePort());
  const start = (step: Step): Promise<TestService> =>
    startTestService(t, { ...stores, ...steps[step], PORT, VH_DATA_DIR: directory });
  const run = (step: Step): ServiceProcess =>
    startProcess(t, { ...stores, ...steps[step], VH_POOL_THREADS: '1', VH_DATA_DIR: temporaryDirectory(t) });
  const notedKeys = async (): Promise<readonly string[]> =>
    (await database.query<{ check_value: string }>('SELECT check_value FROM master_keys ORDER BY generation')).map(
      (row) => row.check_value,
    );

  /** Scores, verifies, and holds against this service everything that was given out so far, under whatever key. */
  const readsAll = async (t: Pick<Test, 'equal' | 'match'>, step: Step): Promise<void> => {
    const service = await start(step);
    const body = { sessionId: `session-${receipts.length}`, respondentId: 'respondent', clientIp: '203.0.113.7' };
    const { body: reply } = await service.call('POST', '/lite/score', { body });
    const { receiptId, duplicate } = reply as ScoreReply;
    receipts.push(receiptId);
    t.equal(duplicate.evidence.respondentDay, receipts.length, `${step}: references are those of the first key`);
    const verified = await verify(service, await createSession(service));
    tokens.push(verified.body.verificationToken);
    for (const each of receipts) {
      await waitUntil(
        async () => (await service.call('GET', `/lite/score/${each}/evidence`)).status === 200,
        'the receipt is recorded',
      );
      const evidence = await service.call('GET', `/lite/score/${each}/evidence`);
      t.match(evidence.body, { provenance: { faithful: true } }, `${step}: ${each}`);
    }
    for (const token of tokens) {
      const { body: validated } = await service.call('POST', '/token/verify', { body: { token } });
      t.match(validated, { success: true }, `${step}: a token of before is good`);
    }
    const { projectId } = service.bootstrap;
    for (const keys of [
      [first, second],
      [second, first],
    ])
      t.equal(
        (await createSigningSecrets(keys).read(database, projectId ?? '')).length,
        1,
        `${step}: its secret opens`,
      );
    await service.stop();
  };

  t.test(
    'killed before the new key is noted, nothing has changed; killed after it, either set reads all',
    async (t) => {
      await readsAll(t, 'before');
      await readsAll(t, 'reading');

      await database.transaction(
        async (tx) => {
          await tx.query('LOCK TABLE master_keys IN EXCLUSIVE MODE');
          const waiting = run('changed');
          await waitUntil(() => isWaiting(database), 'it is about to note its key', 60_000);
          await waiting.end('SIGKILL');
        },
        { deadlineMs: 90_000 },
      );
      await waitUntil(async () => !(await isWaiting(database)), 'what it had begun is rolled back');
      t.same(await notedKeys(), [checkValueOf(first)], 'nothing has changed');
      await readsAll(t, 'reading');

      const noting = run('changed');
      await waitUntil(async () => (await notedKeys()).length === 2, 'the new key is noted', 60_000);
      await noting.end('SIGKILL');
      await readsAll(t, 'reading');
      await readsAll(t, 'changed');
      await t.rejects(
        start('before'),
        /does not match this database/,
        'a process that cannot read both does not start',
      );
      let looks = 0;
      const store = createServer((socket) => {
        looks += 1;
        socket.destroy();
      }).listen(0, '127.0.0.1');
      t.teardown(() => store.close());
      await once(store, 'listening');
      const place = `127.0.0.1:${(store.address() as AddressInfo).port}`;
      await t.rejects(
        startTestService(t, {
          ...{ ...stores, ...steps.before, VH_DATA_DIR: directory },
          ...{ REDIS_URL: `redis://${place}`, KAFKA_BROKERS: place },
        }),
        /does not match this database/,
      );
      t.equal(looks, 0, 'it is refused before it looks at any other store');
    },
  );

  t.test(`${killsMax} kills at any time of the change lose nothing, and a repeat finishes`, async (t) => {
    const random = createRandom(seed);
    const killOne = async (step: Step): Promise<void> => {
      const service = run(step);
      await pause(random() * upMsMax);
      await service.end('SIGKILL');
    };
    for (let kills = 0; kills < killsMax; kills += 2)
      await Promise.all([killOne('changed'), killOne(random() < 0.5 ? 'reading' : 'changed')]);
    t.comment(`seed ${seed}: ${killsMax} kills`);
    await readsAll(t, 'reading');
    await readsAll(t, 'changed');
    t.same(await notedKeys(), [checkValueOf(first), checkValueOf(second)]);
  });
}

/** Whether a process waits for the table of keys. */
async function isWaiting(database: Database): Promise<boolean> {
  const [row] = await database.query<{ n: number }>(
    "SELECT count(*) AS n FROM pg_locks WHERE NOT granted AND relation = 'master_keys'::regclass",
  );
  return Number(row?.n) > 0;
}
