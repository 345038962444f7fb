import { randomBytes } from 'node:crypto';
import t from 'tap';
import { admitMasterKeys, checkValueOf, ownMasterKey } from '../../src/administration/master-keys.js';
import { createSigningSecrets } from '../../src/administration/signing-secrets.js';
import { insertOrganization } from '../../src/administration/organization-store.js';
import { insertProject } from '../../src/administration/project-store.js';
import { openTestDatabase } from '../helpers/embedded.js';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const database = await openTestDatabase(t);
t.beforeEach(async () => void (await database.query('TRUNCATE master_keys')));

const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const admit = (current: Uint8Array, ...kept: readonly Uint8Array[]) => admitMasterKeys(database, { current, kept });

t.test('the key of the first start is noted, and another one stops the start with both named', async (t) => {
  await Promise.all([admit(first), admit(first), admit(first)]);
  t.equal((await admit(first)).first, first);
  const refusal = admit(second);
  await t.rejects(refusal, { message: new RegExp(`check value is ${checkValueOf(second)}, .*${checkValueOf(first)}`) });
  await t.rejects(refusal, { message: /VH_MASTER_KEYS_KEPT/ });
  const rows = await database.query('SELECT check_value FROM master_keys');
  t.same(rows, [{ check_value: checkValueOf(first) }], 'once, and the refused one not at all');
});

t.test('of two different keys that start at once on an empty database one is refused', async (t) => {
  const outcomes = await Promise.allSettled([admit(first), admit(second)]);
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

t.test(
  'a changed key is admitted with all earlier ones beside it, and references stay those of the first',
  async (t) => {
    await admit(first);
    t.equal((await admit(second, first)).first, first);
    t.equal((await admit(first, second)).first, first, 'an instance that has not changed over yet, but can read');
    await t.rejects(admit(first), { message: new RegExp(checkValueOf(second)) }, 'one that cannot');
    await t.rejects(admit(third, second), { message: new RegExp(checkValueOf(first)) }, 'the oldest is missing');
    const { current, readable } = await admit(third, second, first);
    t.same([current, readable], [third, [third, second, first]]);
  },
);

t.test(
  'what an earlier key sealed opens under the kept one, and what is new is sealed under the current',
  async (t) => {
    const organizationId = await insertOrganization(database, { name: 'A', tier: 'free', liteEnabled: false });
    const project = await insertProject(database, organizationId, { name: 'P' });
    if (project === null) throw new Error('no project');
    await createSigningSecrets(first).rotate(database, project, false);
    const rotated = createSigningSecrets([second, first]);
    t.equal((await rotated.read(database, project.projectId)).length, 1);
    await rotated.rotate(database, project, true);
    t.equal((await createSigningSecrets(second).read(database, project.projectId)).length, 1);
  },
);

t.test('production makes no key by itself, and takes one that is there', (t) => {
  const directory = temporaryDirectory(t);
  const settings = { VH_MASTER_KEY: null, VH_DATA_DIR: directory };
  t.throws(() => ownMasterKey({ ...settings, VH_ENV: 'production' }), /^VH_MASTER_KEY is not set.*openssl rand/);
  const made = ownMasterKey({ ...settings, VH_ENV: 'development' });
  t.same(ownMasterKey({ ...settings, VH_ENV: 'production' }), made);
  t.same(ownMasterKey({ ...settings, VH_MASTER_KEY: second, VH_ENV: 'production' }), second);
  t.end();
});

t.test('evidence given under an earlier key is authentic after the change, and its holder no operator', async (t) => {
  const VH_DATA_DIR = temporaryDirectory(t);
  const base64 = (key: Uint8Array): string => Buffer.from(key).toString('base64');
  const before = await startTestService(t, { VH_DATA_DIR, VH_MASTER_KEY: base64(first) });
  const { body: scored } = await before.call('POST', '/lite/score', {
    body: { sessionId: 'before-the-change', clientIp: '203.0.113.7' },
  });
  await before.stop();
  await t.rejects(startTestService(t, { VH_DATA_DIR, VH_MASTER_KEY: base64(second) }), /does not match this database/);

  const keys = { VH_MASTER_KEY: base64(second), VH_MASTER_KEYS_KEPT: base64(first) };
  const after = await startTestService(t, { VH_DATA_DIR, ...keys });
  const { receiptId } = scored as { receiptId: string };
  await waitUntil(
    async () => (await after.call('GET', `/lite/score/${receiptId}/evidence`)).status === 200,
    'it is recorded',
  );
  t.match((await after.call('GET', `/lite/score/${receiptId}/evidence`)).body, { provenance: { faithful: true } });
  const of = after.bootstrap.organizationId;
  const statusWith = async (key: Uint8Array): Promise<number> => {
    const token = await issueDashboardToken(key, { organizationId: of, role: 'owner', lifetimeSeconds: 60 });
    return (await after.call('GET', '/projects', { headers: { authorization: `Bearer ${token}` } })).status;
  };
  t.same([await statusWith(first), await statusWith(second)], [401, 200]);
});
