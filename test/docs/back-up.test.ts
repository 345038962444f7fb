/** The backup and the restore that docs/how-to/back-up-and-restore.md describes, as written, on a real PostgreSQL. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import t from 'tap';
import { mintKey } from '../../src/administration/api-keys.js';
import { admitMasterKeys } from '../../src/administration/master-keys.js';
import { insertOrganization } from '../../src/administration/organization-store.js';
import { insertProject } from '../../src/administration/project-store.js';
import { createSigningSecrets } from '../../src/administration/signing-secrets.js';
import { migrate } from '../../src/stores/database/migrate.js';
import type { Database } from '../../src/stores/database/port.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { blocksOf } from '../helpers/guide-blocks.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(120_000);
const run = promisify(execFile);
const stack = findStack(t, 'a back-up and a restore');

async function countRows(database: Database): Promise<Readonly<Record<string, number>>> {
  const tables = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND NOT relispartition ORDER BY 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await database.query<{ rows: number }>(`SELECT count(*) AS rows FROM ${name}`);
    counts[name] = row?.rows ?? 0;
  }
  return counts;
}

if (stack !== null)
  t.test('a back-up as written is whole, and a restore as written is what was backed up', async (t) => {
    const blocks = blocksOf('docs/how-to/back-up-and-restore.md').map(({ code }) => code);
    const [sql, backUp, restore] = ['CREATE ROLE vh_backup', 'pg_dump', 'pg_restore'].map((beginning) =>
      blocks.find((code) => code.startsWith(beginning)),
    );
    const id = randomBytes(6).toString('hex');
    const [owner, backupRole, source, target] = [`vh_${id}`, `vh_backup_${id}`, `from_${id}`, `into_${id}`];
    const urlOf = (user: string, name: string): string => {
      const url = new URL(stack.databaseUrl);
      url.username = user;
      url.pathname = `/${name}`;
      return url.href;
    };
    const open = (url: string): Promise<Database> => openPostgres({ url, poolMax: 2, deadlineMs: 30_000 });
    const server = await open(stack.databaseUrl);
    t.teardown(async () => {
      for (const name of [source, target]) await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      for (const role of [owner, backupRole]) await server.query(`DROP ROLE IF EXISTS ${role}`);
      await server.close();
    });
    await server.query(`CREATE ROLE ${owner} LOGIN`);
    for (const name of [source, target]) await server.query(`CREATE DATABASE ${name} OWNER ${owner}`);
    await server.query((sql ?? '').replaceAll('vh_backup', backupRole));

    const database = await open(urlOf(owner, source));
    t.teardown(() => database.close());
    await migrate(database);
    const masterKey = randomBytes(32);
    await admitMasterKeys(database, { current: masterKey, kept: [] });
    for (const name of ['A', 'B']) {
      const organizationId = await insertOrganization(database, { name, tier: 'free', liteEnabled: true });
      const project = await insertProject(database, organizationId, { name });
      if (project === null) throw new Error('no project');
      await createSigningSecrets(masterKey).rotate(database, project, false);
      await mintKey(database, { organizationId, projectId: project.projectId, name, isTest: false });
    }

    const folder = temporaryDirectory(t);
    const shell = (code: string | undefined, environment: Readonly<Record<string, string>>) =>
      run('sh', ['-ec', code ?? 'false'], { cwd: folder, env: { PATH: process.env['PATH'] ?? '', ...environment } });
    await t.rejects(shell(backUp, { BACKUP_URL: urlOf(owner, source) }), { message: /row-level security/ });
    t.notOk(existsSync(`${folder}/verifyhuman.dump`), 'what is not whole has not its name');
    await shell(backUp, { BACKUP_URL: urlOf(backupRole, source) });
    await shell(restore, { RESTORED_URL: urlOf(owner, target) });

    const restored = await open(urlOf(owner, target));
    t.teardown(() => restored.close());
    t.same(await migrate(restored), [], 'nothing is missing');
    await admitMasterKeys(restored, { current: masterKey, kept: [] });
    await t.rejects(admitMasterKeys(restored, { current: randomBytes(32), kept: [] }), /does not match this database/);
    // Past row-level security, so that nothing is hidden on either side.
    const [from, into] = [await open(urlOf('postgres', source)), await open(urlOf('postgres', target))];
    t.teardown(() => Promise.all([from.close(), into.close()]));
    const counts = await countRows(from);
    t.match(counts, { organizations: 2, projects: 2, api_keys: 2, signing_secrets: 2, master_keys: 1 });
    t.same(await countRows(into), counts);
  });
