/**
 * A migrated cluster of the embedded database for data directories of tests. Making one costs some five seconds of CPU, copying one a fraction: it is made
 * once on this machine for each state of the migrations, and kept among the system’s temporary files. Built under another name and renamed when complete,
 * so that no test copies half of it. The making itself is tested where a process or a database is started without this.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedDatabase } from '../../src/stores/database/embedded/open.js';
import { migrate } from '../../src/stores/database/migrate.js';
import { migrationsDirectory } from '../../src/stores/database/migration-plan.js';
import { repositoryPath } from './repository.js';

/** Below a data directory, as the service has it. */
const name = 'database';

export async function copyCluster(dataDirectory: string): Promise<void> {
  await cp(join(await ensureTemplate(), name), join(dataDirectory, name), { recursive: true });
}

async function ensureTemplate(): Promise<string> {
  const hash = createHash('sha256').update(
    await readFile(repositoryPath('node_modules/@electric-sql/pglite/package.json')),
  );
  for (const file of (await readdir(migrationsDirectory())).sort())
    hash.update(file).update(await readFile(join(migrationsDirectory(), file)));
  const template = join(tmpdir(), `verifyhuman-cluster-${hash.digest('hex').slice(0, 24)}`);
  if (existsSync(template)) return template;
  const draft = await mkdtemp(join(tmpdir(), 'verifyhuman-draft-'));
  const database = await openEmbeddedDatabase({ directory: join(draft, name) });
  await migrate(database).finally(() => database.close());
  // Another test file may have been faster.
  await rename(draft, template).catch(() => rm(draft, { recursive: true, force: true }));
  return template;
}
