/** Memory over many reads. Short in CI; `npm run soak` sets READ_MEGABYTES to 2000. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { openEmbeddedDatabase } from '../../../../src/stores/database/embedded/open.js';

const megabyte = 1_000_000;
const readMegabytes = Number(process.env['READ_MEGABYTES'] ?? 250);
const warmUpMegabytes = 100;
/** Half of what is read: whatever kept the rows would take more than all of it. */
const growthMaxMegabytes = 120;
// Garbage of the reads themselves comes and goes with the settings of the process, and is collected before memory is looked at.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
t.setTimeout(60_000 + readMegabytes * 100);

t.test('reads leave no memory behind', async (t) => {
  const database = await openEmbeddedDatabase({ directory: null });
  t.teardown(() => database.close());
  await database.query(
    'CREATE TABLE long_rows AS SELECT n, repeat(md5(n::text), 64) AS filler FROM generate_series(1, 2000) AS n',
  );
  const readUntil = async (megabytes: number, from = 0): Promise<number> => {
    let bytes = from;
    while (bytes < megabytes * megabyte) {
      const rows = await database.query<{ filler: string }>('SELECT n, filler FROM long_rows');
      for (const { filler } of rows) bytes += filler.length;
    }
    return bytes;
  };
  const rssMegabytes = (): number => {
    collectGarbage();
    return process.memoryUsage.rss() / megabyte;
  };

  await readUntil(warmUpMegabytes);
  const before = rssMegabytes();
  for (let read = 0, part = 1; part <= 5; part += 1) {
    read = await readUntil((readMegabytes * part) / 5, read);
    const grown = Math.round(rssMegabytes() - before);
    t.ok(
      grown < growthMaxMegabytes,
      `${Math.round(read / megabyte)} MB read: ${grown} MB more than ${Math.round(before)}`,
    );
  }
});
