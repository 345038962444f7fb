/** The backup and the restore that docs/how-to/back-up-and-restore.md describes, as written, on a real PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import t from 'tap';
import { mintKey } from '../../src/administration/api-keys.js';
import { admitMasterKeys } from '../../src/administration/master-keys.js';
import { insertOrganization } from '../../src/administration/organization-store.js';
import { insertProject } from '../../src/administration/project-store.js';
import { createSigningSecrets } from '../../src/administration/signing-secrets.js';
import { migrate } from '../../src/stores/database/migrate.js';
import type { Database } from '../../src/stores/database/port.js';
import { prepareBackUp } from '../helpers/back-up.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(120_000);
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
    const { folder, open, openAll, from, into, backUp, restore } = await prepareBackUp(t, stack);
    const database = await open(from);
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

    await t.rejects(backUp(from), { message: /row-level security/ });
    t.notOk(existsSync(`${folder}/verifyhuman.dump`), 'what is not whole has not its name');
    await backUp();
    await restore();

    const restored = await open(into);
    t.same(await migrate(restored), [], 'nothing is missing');
    await admitMasterKeys(restored, { current: masterKey, kept: [] });
    await t.rejects(admitMasterKeys(restored, { current: randomBytes(32), kept: [] }), /does not match this database/);
    const counts = await countRows(await openAll('from'));
    t.match(counts, { organizations: 2, projects: 2, api_keys: 2, signing_secrets: 2, master_keys: 1 });
    t.same(await countRows(await openAll('into')), counts);
  });
