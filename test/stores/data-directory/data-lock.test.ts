import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { lockDataDirectory } from '../../../src/stores/data-directory/data-lock.js';
import { openEmbeddedDatabase } from '../../../src/stores/database/embedded/open.js';
import { behindLock } from '../../../src/stores/data-directory/held-lock.js';
import { openSpool } from '../../../src/stores/spool/spool.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { waitUntil } from '../../helpers/wait-until.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { repositoryRoot } from '../../helpers/repository.js';
import { startZombie } from '../../helpers/zombie.js';

/** The pid of a process that has ended. */
const deadPid = (): number => spawnSync(process.execPath, ['-e', '']).pid;

const writeHolder = (directory: string, holder: Record<string, unknown>) =>
  writeFile(
    join(directory, 'verifyhuman.lock'),
    JSON.stringify({
      pid: process.pid,
      host: hostname(),
      startMark: null,
      pidSpace: null,
      since: '2026-01-01T00:00:00.000Z',
      token: 'theirs',
      ...holder,
    }),
  );

t.test('a held directory is refused with a sentence that names the holder and the way out', async (t) => {
  const directory = temporaryDirectory(t);
  const lock = await lockDataDirectory(directory);
  const refusal = await lockDataDirectory(directory).catch((error: unknown) => error as Error);
  t.match(refusal, { name: 'DataDirectoryInUse', pid: process.pid });
  t.match((refusal as Error).message, new RegExp(`in use by process ${process.pid} since \\d{4}-.*VH_DATA_DIR`));
  await lock.release();
  await lock.release();
  await (await lockDataDirectory(directory)).release();
});

t.test('of many comers at once, one gets the lock', async (t) => {
  const directory = temporaryDirectory(t);
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockDataDirectory(directory)));
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

t.test('a lock whose process is gone is taken over', async (t) => {
  const directory = temporaryDirectory(t);
  await writeHolder(directory, { pid: deadPid() });
  await lockDataDirectory(directory);
  t.match(JSON.parse(await readFile(join(directory, 'verifyhuman.lock'), 'utf8')), { pid: process.pid });
});

t.test('a zombie is no holder', async (t) => {
  const directory = temporaryDirectory(t);
  await writeHolder(directory, { pid: await startZombie(t) });
  await t.resolves(lockDataDirectory(directory));
});

t.test(
  'a start right behind a killed process gets its directory, while the kernel still takes that process down',
  async (t) => {
    const directory = temporaryDirectory(t);
    const module = join(repositoryRoot, 'dist/src/stores/data-directory/data-lock.js');
    for (let round = 0; round < 5; round += 1) {
      // With something to give back to the kernel, so that going takes a while.
      const script = `import(process.argv[1]).then(async ({ lockDataDirectory }) => {
      await lockDataDirectory(process.argv[2]);
      globalThis.kept = Buffer.alloc(200_000_000, 1);
      console.log('held');
      setInterval(() => undefined, 1_000);
    })`;
      const child = spawn(process.execPath, ['-e', script, module, directory], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      t.teardown(() => void child.kill('SIGKILL'));
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      const lock = await lockDataDirectory(directory);
      await lock.release();
    }
    t.pass('every successor got it');
  },
);

t.test('a lock whose pid belongs to a later process is taken over', async (t) => {
  const directory = temporaryDirectory(t);
  await writeHolder(directory, { startMark: 'another boot:1' });
  const taken = lockDataDirectory(directory);
  if (process.platform === 'linux') await t.resolves(taken);
  else
    await t.rejects(
      taken,
      { name: 'DataDirectoryInUse' },
      'where the kernel does not tell start times, the pid decides',
    );
});

/** Renews the sign of life of the lock in `directory`, as its holder does, until the answer is called. */
function keepAlive(directory: string): () => void {
  const timer = setInterval(() => {
    const now = new Date();
    utimes(join(directory, 'verifyhuman.lock'), now, now).catch(() => undefined);
  }, 50);
  return () => clearInterval(timer);
}

for (const [where, holder] of Object.entries({
  'another host': { host: 'elsewhere', pid: 1 },
  // As in two containers with one host name: the pid is that of a process here, which is another.
  'another namespace on a host of the same name': { pid: process.pid, pidSpace: 'boot:pid:[1]', startMark: 'boot:1' },
}))
  t.test(`a lock of ${where} holds while its signs of life come, and is taken over when they stop`, async (t) => {
    const directory = temporaryDirectory(t);
    await writeHolder(directory, holder);
    const die = keepAlive(directory);
    t.teardown(die);
    await t.rejects(lockDataDirectory(directory), { name: 'DataDirectoryInUse', pid: holder.pid });
    die();
    await t.resolves(lockDataDirectory(directory, { silentMsMax: 400 }), 'after a moment of silence');
  });

t.test(
  'a holder that was taken for gone notices, gives no further sign, and writes nothing that it says is safe',
  async (t) => {
    const directory = temporaryDirectory(t);
    const file = join(directory, 'verifyhuman.lock');
    const told: Error[] = [];
    const lock = await lockDataDirectory(directory, { signOfLifeEveryMs: 60_000, onLost: (error) => told.push(error) });
    const spool = await openSpool({
      ...{ directory: join(directory, 'spool'), bytesMax: 1_000_000, prove: lock.prove },
      logger: createLogger('fatal', { write: () => undefined }),
    });
    const embedded = await openEmbeddedDatabase({ directory: null });
    t.teardown(() => embedded.close());
    const database = behindLock(embedded, lock);
    const entry = { key: 'k', value: new Uint8Array([1]) };
    await spool.append([entry]);
    t.same(await database.query('SELECT 1 AS one'), [{ one: 1 }]);
    await writeHolder(directory, { pid: 1, host: 'elsewhere' });
    await t.rejects(spool.append([entry]), { code: 'STORE_UNAVAILABLE' }, 'written or not, it is not acknowledged');
    await t.rejects(database.query('SELECT 1'), { code: 'STORE_UNAVAILABLE' });
    await t.rejects(
      database.transaction(async () => t.fail('it does not begin')),
      { code: 'STORE_UNAVAILABLE' },
    );
    t.equal(told.length, 1, 'told once');
    await spool.close();
    await lock.release();
    t.match(JSON.parse(await readFile(file, 'utf8')), { host: 'elsewhere' }, 'the lock of the other stays');

    const renewing = temporaryDirectory(t);
    const quick = await lockDataDirectory(renewing, { signOfLifeEveryMs: 20, onLost: (error) => told.push(error) });
    await writeHolder(renewing, { pid: 1, host: 'elsewhere' });
    const theirs = new Date(Date.now() - 60_000);
    await utimes(join(renewing, 'verifyhuman.lock'), theirs, theirs);
    await waitUntil(() => told.length === 2, 'the next sign of life would notice by itself');
    t.ok(
      (await stat(join(renewing, 'verifyhuman.lock'))).mtimeMs < Date.now() - 50_000,
      'and is not given for the other',
    );
    await quick.release();
  },
);

const separated = ['-Urpf', '--mount-proc'];
const canSeparate = spawnSync('unshare', [...separated, 'true']).status === 0;

t.test(
  'two processes in namespaces of their own, each the first there, do not both get the lock',
  { skip: canSeparate ? false : 'namespaces cannot be made here' },
  async (t) => {
    const directory = temporaryDirectory(t);
    const script = `import(process.argv[1]).then(({ lockDataDirectory }) => lockDataDirectory(process.argv[2])).then(
      () => { console.log('held by', process.pid); setInterval(() => undefined, 1_000); },
      (error) => { console.log(error.message); process.exit(); },
    )`;
    const module = join(repositoryRoot, 'dist/src/stores/data-directory/data-lock.js');
    const start = async (): Promise<string> => {
      const child = spawn('unshare', [...separated, '--kill-child', process.execPath, '-e', script, module, directory]);
      t.teardown(() => void child.kill('SIGKILL'));
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      return String(line);
    };
    t.equal(await start(), 'held by 1\n');
    t.match(await start(), /in use by process 1 /);
  },
);

t.test('a lock file that makes no sense is left to the operator', async (t) => {
  const directory = temporaryDirectory(t);
  await writeFile(join(directory, 'verifyhuman.lock'), 'not ours');
  await t.rejects(lockDataDirectory(directory), /delete .*verifyhuman\.lock/);
});

t.test('a lock that was taken over is not released by its former holder', async (t) => {
  const directory = temporaryDirectory(t);
  const lock = await lockDataDirectory(directory);
  await writeHolder(directory, {});
  await lock.release();
  t.match(JSON.parse(await readFile(join(directory, 'verifyhuman.lock'), 'utf8')), { token: 'theirs' });
});
