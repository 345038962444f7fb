import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { lockDataDirectory } from '../../src/stores/data-lock.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { repositoryRoot } from '../helpers/repository.js';

const module = join(repositoryRoot, 'dist/src/stores/data-lock.js');
const atOnce = { waitMs: 0 };

t.test('a held directory is refused with a sentence that names the holder and the way out', async (t) => {
  const directory = temporaryDirectory(t);
  const lock = await lockDataDirectory(directory);
  const refusal = await lockDataDirectory(directory, atOnce).catch((error: unknown) => error as Error);
  t.match(refusal, { name: 'DataDirectoryInUse' });
  t.match((refusal as Error).message, new RegExp(`in use by process ${process.pid} on .* since \\d{4}-.*VH_DATA_DIR`));
  await lock.release();
  await lock.release();
  await (await lockDataDirectory(directory)).release();
});

t.test('of many comers at once, one gets the lock', async (t) => {
  const directory = temporaryDirectory(t);
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockDataDirectory(directory, atOnce)));
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

t.test(
  'a start right behind a killed process gets its directory, while the kernel still takes that process down',
  async (t) => {
    const directory = temporaryDirectory(t);
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

t.test('a holder that stands still keeps the lock', async (t) => {
  const directory = temporaryDirectory(t);
  const script = `import(process.argv[1]).then(async ({ lockDataDirectory }) => {
    globalThis.lock = await lockDataDirectory(process.argv[2]);
    console.log('held');
    setInterval(() => undefined, 1_000);
  })`;
  const child = spawn(process.execPath, ['-e', script, module, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  await t.rejects(lockDataDirectory(directory, { waitMs: 200 }), { name: 'DataDirectoryInUse' });
  child.kill('SIGKILL');
  await t.resolves(lockDataDirectory(directory));
});

t.test('what an earlier process left in the lock file does not matter', async (t) => {
  const directory = temporaryDirectory(t);
  await writeFile(join(directory, 'verifyhuman.lock'), 'process 1 on elsewhere since 2026-01-01T00:00:00.000Z');
  await t.resolves(lockDataDirectory(directory, atOnce));
});

t.test('a directory that cannot be made or written is refused with the way out', async (t) => {
  const file = join(temporaryDirectory(t), 'file');
  await writeFile(file, '');
  for (const directory of ['/proc/nowhere/data', '/proc', '/sys/data', '/dev/null/data', file])
    await t.rejects(lockDataDirectory(directory, atOnce), {
      message: /^The data directory .* is not writable \(.*VH_DATA_DIR/,
    });
});

const separated = ['-Urpf', '--mount-proc'];
const canSeparate = spawnSync('unshare', [...separated, 'true']).status === 0;

t.test(
  'two processes in namespaces of their own, each the first there, do not both get the lock',
  { skip: canSeparate ? false : 'namespaces cannot be made here' },
  async (t) => {
    const directory = temporaryDirectory(t);
    const script = `import(process.argv[1]).then(({ lockDataDirectory }) => lockDataDirectory(process.argv[2], { waitMs: 200 })).then(
      () => { console.log('held by', process.pid); setInterval(() => undefined, 1_000); },
      (error) => { console.log(error.message); process.exit(); },
    )`;
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
