/** A backup and a restore on a real PostgreSQL, with the blocks of docs/how-to/back-up-and-restore.md as they are written. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import type { Database } from '../../src/stores/database/port.js';
import { temporaryDirectory } from './directories.js';
import { blocksOf } from './guide-blocks.js';
import type { Stack } from './stores.js';

const run = promisify(execFile);

/** Two empty databases of a user without rights, and a role for backups. */
export async function prepareBackUp(t: Parameters<typeof temporaryDirectory>[0], stack: Pick<Stack, 'databaseUrl'>) {
  const blocks = blocksOf('docs/how-to/back-up-and-restore.md').map(({ code }) => code);
  const blockOf = (word: string): string => blocks.find((code) => code.includes(word)) ?? 'false';
  const id = randomBytes(6).toString('hex');
  const [owner, backupRole, source, target] = [`vh_${id}`, `vh_backup_${id}`, `from_${id}`, `into_${id}`];
  const urlOf = (user: string, name: string): string => {
    const url = new URL(stack.databaseUrl);
    url.username = user;
    url.pathname = `/${name}`;
    return url.href;
  };
  const open = async (url: string): Promise<Database> => {
    const database = await openPostgres({ url, poolMax: 2, deadlineMs: 30_000 });
    t.teardown(() => database.close());
    return database;
  };
  // Its teardown has to be the last: the databases that are dropped there are closed by then.
  const server = await openPostgres({ url: stack.databaseUrl, poolMax: 1, deadlineMs: 30_000 });
  const drop = (name: string) => server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  t.teardown(async () => {
    for (const name of [source, target]) await drop(name);
    for (const role of [owner, backupRole]) await server.query(`DROP ROLE IF EXISTS ${role}`);
    await server.close();
  });
  await server.query(`CREATE ROLE ${owner} LOGIN`);
  for (const name of [source, target]) await server.query(`CREATE DATABASE ${name} OWNER ${owner}`);
  await server.query(blockOf('CREATE ROLE vh_backup').replaceAll('vh_backup', backupRole));
  const [makeRole = '', grantRole = ''] = blockOf('CREATE ROLE verifyhuman_tenant').split('\n');
  await server.query(makeRole).catch((error: Error) => {
    if (!error.message.includes('already exists')) throw error;
  });
  await server.query(grantRole.replace(/\bvh\b/, owner));

  const folder = temporaryDirectory(t);
  /** Runs the block that has this word, after `change`. */
  const shell = (word: string, environment: Readonly<Record<string, string>>, change = (code: string) => code) =>
    run('sh', ['-ec', change(blockOf(word))], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', ...environment },
    });
  return {
    ...{ folder, open, shell },
    /** Addresses with which the service signs in. */
    from: urlOf(owner, source),
    into: urlOf(owner, target),
    /** Past row-level security. */
    openAll: (which: 'from' | 'into') => open(urlOf('postgres', which === 'from' ? source : target)),
    backUp: (url = urlOf(backupRole, source)) => shell('pg_dump', { BACKUP_URL: url }),
    destroy: () => drop(source),
    restore: () => shell('pg_restore', { RESTORED_URL: urlOf(owner, target) }),
  };
}
