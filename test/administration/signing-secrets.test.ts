import t from 'tap';
import { insertOrganization } from '../../src/administration/organization-store.js';
import { insertProject } from '../../src/administration/project-store.js';
import { createSigningSecrets } from '../../src/administration/signing-secrets.js';
import { openTestDatabase } from '../helpers/embedded.js';

const database = await openTestDatabase(t);
const secrets = createSigningSecrets(new Uint8Array(32).fill(1));
const organizationId = await insertOrganization(database, { name: 'A', tier: 'free', liteEnabled: false });

async function makeProject(): Promise<{ organizationId: string; projectId: string }> {
  const project = await insertProject(database, organizationId, { name: 'P' });
  if (project === null) throw new Error('no project');
  return project;
}

t.test('the current secret comes first, and the ones it replaced still verify', async (t) => {
  const project = await makeProject();
  for (const version of [1, 2, 3]) t.equal((await secrets.rotate(database, project, false)).version, version);
  const read = await secrets.read(database, project.projectId);
  t.same(
    read.map(({ version }) => version),
    [3, 2, 1],
  );
  t.equal(read[0]?.replacedAt, null);
  t.ok(read[1]?.replacedAt instanceof Date);
  t.equal(new Set(read.map(({ secret }) => Buffer.from(secret).toString('hex'))).size, 3);
  t.ok(read.every(({ secret }) => secret.length === 32));
});

t.test('revokePrevious leaves the new one alone', async (t) => {
  const project = await makeProject();
  await secrets.rotate(database, project, false);
  await secrets.rotate(database, project, true);
  t.same(
    (await secrets.read(database, project.projectId)).map(({ version }) => version),
    [2],
  );
});

t.test('at rest a secret is sealed: another master key, another row or a changed byte does not open it', async (t) => {
  const [project, another] = [await makeProject(), await makeProject()];
  await secrets.rotate(database, project, false);
  await secrets.rotate(database, another, false);
  const [known] = await secrets.read(database, project.projectId);
  const [row] = await database.query<{ sealed: Uint8Array }>(
    'SELECT sealed FROM signing_secrets WHERE project_id = $1',
    [project.projectId],
  );
  t.notOk(Buffer.from(row?.sealed ?? []).includes(Buffer.from(known?.secret ?? [])));
  await t.rejects(createSigningSecrets(new Uint8Array(32)).read(database, project.projectId));
  await database.query('UPDATE signing_secrets SET sealed = $2 WHERE project_id = $1', [
    another.projectId,
    row?.sealed ?? null,
  ]);
  await t.rejects(secrets.read(database, another.projectId), 'a row copied from another project');
  await database.query(
    'UPDATE signing_secrets SET sealed = set_byte(sealed, 20, (get_byte(sealed, 20) + 1) % 256) WHERE project_id = $1',
    [project.projectId],
  );
  await t.rejects(secrets.read(database, project.projectId));
});
