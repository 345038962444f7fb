import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t from 'tap';
import { openEmbeddedDatabase } from '../../../../src/stores/database/embedded/open.js';
import { migrate } from '../../../../src/stores/database/migrate.js';
import { openTableLog } from '../../../../src/stores/log/embedded/log.js';
import { temporaryDirectory } from '../../../helpers/directories.js';
import { waitUntil } from '../../../helpers/wait-until.js';

const moduleUrl = (path: string): string => new URL(`../../../../src/stores/${path}`, import.meta.url).href;

/** Appends without end and prints each number once its append resolved. */
const writer = `(async () => {
  const { openEmbeddedDatabase } = await import(${JSON.stringify(moduleUrl('database/embedded/open.js'))});
  const { openTableLog } = await import(${JSON.stringify(moduleUrl('log/embedded/log.js'))});
  const { writeSync } = await import('node:fs');
  const database = await openEmbeddedDatabase({ directory: process.argv[1] });
  const log = openTableLog({ database, now: () => performance.now() });
  await Promise.all(Array.from({ length: 16 }, async (_, lane) => {
    for (let n = lane; ; n += 16) {
      await log.append('scores', [{ key: 'k', value: Buffer.from(String(n)) }]);
      writeSync(1, n + '\\n');
    }
  }));
})()`;

t.test(
  'a process that is killed loses nothing that it had acknowledged, and its lock does not stand in the way',
  async (t) => {
    const directory = temporaryDirectory(t);
    const first = await openEmbeddedDatabase({ directory });
    await migrate(first);
    await first.close();

    const acknowledged: string[] = [];
    const child = spawn(process.execPath, [...process.execArgv, '-e', writer, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: child.stdout }).on('line', (line) => acknowledged.push(line));
    await waitUntil(() => acknowledged.length >= 500, 'the writer is well under way');
    await t.rejects(openEmbeddedDatabase({ directory, lock: { waitMs: 0 } }), { name: 'DataDirectoryInUse' });
    child.kill('SIGKILL');
    await once(child, 'close');

    const second = await openEmbeddedDatabase({ directory });
    t.teardown(() => second.close());
    const log = openTableLog({ database: second, now: () => performance.now() });
    const seen = new Set<string>();
    await log.subscribe({
      topic: 'scores',
      group: 'g',
      batchMax: 100,
      handle: async (entries) => entries.forEach(({ value }) => seen.add(new TextDecoder().decode(value))),
    });
    await waitUntil(() => acknowledged.every((number) => seen.has(number)), 'all that was acknowledged is there');
    await log.close();
    t.ok(acknowledged.length >= 500);
  },
);
