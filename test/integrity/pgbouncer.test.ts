/** The database behind PgBouncer in transaction mode, set up as docs/how-to/deploy.md says. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { insertOrganization } from '../../src/administration/organization-store.js';
import { migrate } from '../../src/stores/database/migrate.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { inOrganization } from '../../src/stores/database/tenant.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { createEmptyDatabase, findStack } from '../helpers/stores.js';
import { freePort } from '../helpers/ports.js';

const stack = findStack(t, 'PgBouncer');
const hasPooler = spawnSync('pgbouncer', ['--version']).status === 0;
if (!hasPooler) t.comment('Left out: PgBouncer. It is not installed (deploy/system-packages.txt).');
if (!hasPooler && process.env['VH_REQUIRE_STACK'] === '1') t.fail('pgbouncer is not installed');

if (stack !== null && hasPooler)
  t.test('migrations, statements and transactions of tenants go through it', { timeout: 60_000 }, async (t) => {
    const direct = new URL(await createEmptyDatabase(t, stack));
    const port = await freePort();
    const directory = temporaryDirectory(t);
    const file = join(directory, 'pgbouncer.ini');
    writeFileSync(
      file,
      `[databases]
* = host=${direct.hostname} port=${direct.port} user=${direct.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
ignore_startup_parameters = statement_timeout
`,
    );
    chmodSync(directory, 0o755);
    // It does not run as root.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const pooler = spawn('pgbouncer', [file], { stdio: ['ignore', 'ignore', 'pipe'], ...nobody });
    const ended = once(pooler, 'exit');
    t.teardown(async () => {
      pooler.kill('SIGKILL');
      await ended;
    });
    let log = '';
    await new Promise<void>((resolve, reject) => {
      pooler.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()).includes('process up') && resolve());
      pooler.once('exit', () => reject(new Error(log)));
    });
    direct.port = String(port);
    const database = await openPostgres({ url: direct.href, poolMax: 8, deadlineMs: 5_000 });
    await migrate(database);
    const organizations = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
        insertOrganization(database, { name, tier: 'free', liteEnabled: true }),
      ),
    );
    const seen = await Promise.all(
      organizations.map((id) =>
        inOrganization(database, id, (tx) =>
          tx.query<{ organization_id: string }>('SELECT organization_id FROM organizations WHERE tier = $1', ['free'], {
            recurring: true,
          }),
        ),
      ),
    );
    t.equal(seen.length, 6);
    const after = await database.query(`SELECT current_setting('vh.organization_id', true) AS organization_id`);
    t.notOk(after[0]?.['organization_id'], 'whose transaction it was does not stay with the connection');
    await database.query('SELECT 1', [], { deadlineMs: 20_000 });
    await t.rejects(database.query('SELECT 1 / 0', [], { deadlineMs: 20_000 }), /division by zero/);
    for (let call = 0; call < 6; call++)
      t.notMatch(await database.query('SHOW statement_timeout'), [{ statement_timeout: '20s' }], 'nor does its limit');
    await database.close();
  });
