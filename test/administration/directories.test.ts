import t from 'tap';
import { hashSecret, mintKey, projectOfKey } from '../../src/administration/api-keys.js';
import { feedIntervalMs, openDirectories } from '../../src/administration/directories.js';
import { createDirectory } from '../../src/administration/record-cache.js';
import { storeUnavailable } from '../../src/errors.js';
import { findIssuedKey, findOwnedKey, replaceKey, setKeyLimits } from '../../src/projects/keys/key-store.js';
import { insertOrganization, updateOrganization } from '../../src/administration/organization-store.js';
import { insertProject, updateProjectFields } from '../../src/administration/project-store.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { openTestDatabase } from '../helpers/embedded.js';
import { waitUntil } from '../helpers/wait-until.js';

const logger = createLogger('silent', { write: () => undefined });
const database = await openTestDatabase(t);
let nowMs = Date.now();
const now = (): number => nowMs;
/** Two instances of the service. */
const here = await openDirectories({ database, logger, now });
const there = await openDirectories({ database, logger, now });
t.teardown(() => here.close());
t.teardown(() => there.close());
const organizationId = await insertOrganization(database, { name: 'A', tier: 'free', liteEnabled: false });
const project = await insertProject(database, organizationId, { name: 'P', externalId: 'x' });
const projectId = project?.projectId ?? '';

t.test('a key that was replaced is dead at once here, and elsewhere by the next look', async (t) => {
  const { secret, keyId } = await mintKey(database, { organizationId, projectId, name: 'K', isTest: false });
  t.ok((await here.findKey(secret)) !== null && (await there.findKey(secret)) !== null);
  const key = await findOwnedKey(database, { organizationId, projectId }, keyId);
  if (key === null) throw new Error('the key is missing');
  const replacement = await database.transaction((tx) => replaceKey(tx, key, undefined));
  here.dropKey(hashSecret(secret).toString('hex'));
  t.equal(await here.findKey(secret), null);
  await waitUntil(async () => (await there.findKey(secret)) === null, 'the other instance knows');
  t.match(await there.findKey(replacement.secret), { lineage: key.lineage, projectId });
});

t.test('a changed limit, project and organization are known everywhere, and two looks go into a second', async (t) => {
  const { secret, keyId } = await mintKey(database, { organizationId, projectId, name: 'L', isTest: false });
  await there.findKey(secret);
  await there.projects.get(projectId);
  await there.organizations.get(organizationId);
  await setKeyLimits(database, keyId, { perMinute: 3, perDay: 4 });
  await updateProjectFields(database, projectId, { name: 'Renamed', externalId: 'x' });
  await updateOrganization(database, organizationId, { allowedDomains: ['https://a.example'], monthlyQuota: 7 });
  await waitUntil(async () => (await there.findKey(secret))?.limits.perMinute === 3, 'limits');
  await waitUntil(async () => (await there.projects.get(projectId))?.fields.name === 'Renamed', 'project');
  await waitUntil(
    async () => (await there.organizations.get(organizationId))?.allowedDomains[0] === 'https://a.example',
    'organization',
  );
  t.ok(2 * feedIntervalMs <= 1_000, 'what is promised to be known within a second');
});

t.test('a key that expires is dead at that moment, cached or not', async (t) => {
  const { secret } = await mintKey(database, {
    organizationId,
    projectId,
    name: 'E',
    isTest: false,
    expiresAt: new Date(nowMs + 5_000),
  });
  t.ok((await here.findKey(secret)) !== null);
  nowMs += 5_000;
  t.equal(await here.findKey(secret), null);
});

t.test('a look-up of a known key runs no statement', async (t) => {
  let statements = 0;
  const counted = await openDirectories({
    database: {
      ...database,
      query: (sql, values, options) => {
        if (sql.includes('api_keys k')) statements += 1;
        return database.query(sql, values, options);
      },
    },
    logger,
    now,
  });
  const { secret } = await mintKey(database, { organizationId, projectId, name: 'H', isTest: false });
  for (let n = 0; n < 100; n += 1) await counted.findKey(secret);
  t.equal(statements, 1);
  await counted.close();
});

t.test('a hundred uses of a key are one write, and a use a minute later is another', async (t) => {
  const { secret, keyId } = await mintKey(database, { organizationId, projectId, name: 'U', isTest: false });
  const lastUse = async (): Promise<number | undefined> =>
    (await findOwnedKey(database, { organizationId, projectId }, keyId))?.lastUsedAt?.getTime();
  for (let n = 0; n < 100; n += 1) await here.findKey(secret);
  await here.flushKeyUses();
  t.equal(await lastUse(), nowMs);
  const [changes] = await database.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM changes WHERE kind = $1',
    ['key'],
  );
  nowMs += 30_000;
  await here.findKey(secret);
  await here.flushKeyUses();
  t.equal(await lastUse(), nowMs - 30_000);
  nowMs += 30_000;
  await here.findKey(secret);
  await here.flushKeyUses();
  t.equal(await lastUse(), nowMs);
  const [after] = await database.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM changes WHERE kind = $1',
    ['key'],
  );
  t.same(after, changes, 'noting a use makes nobody forget the key');
});

t.test(
  'a stored key of the day before the tiers is the organization’s; one of the day itself is its project’s',
  async (t) => {
    for (const [createdAt, expected] of [
      ['2026-05-20T23:59:59.999Z', null],
      ['2026-05-21T00:00:00Z', projectId],
    ] as const) {
      const { secret, keyId } = await mintKey(database, { organizationId, projectId, name: 'S', isTest: false });
      await database.query('UPDATE api_keys SET created_at = $2 WHERE key_id = $1', [keyId, new Date(createdAt)]);
      t.equal((await here.findKey(secret))?.projectId, expected, createdAt);
    }
    t.match(projectOfKey, /2026-05-21/);
  },
);

t.test('the database itself holds a project to one active issued key', async (t) => {
  await mintKey(database, { organizationId, projectId, name: 'I', isTest: false, issued: true });
  await t.rejects(mintKey(database, { organizationId, projectId, name: 'I', isTest: false, issued: true }), {
    message: /api_keys_issued_once/,
  });
  t.match(await findIssuedKey(database, projectId, new Date(nowMs)), { name: 'I' });
});

t.test('thousands of changes at once are told one by one, and nobody else is forgotten', async (t) => {
  const { secret } = await mintKey(database, { organizationId, projectId, name: 'Q', isTest: false });
  const last = await mintKey(database, { organizationId, projectId, name: 'last', isTest: false });
  let looks = 0;
  const many = await openDirectories({
    database: {
      ...database,
      query: (sql, values, options) => {
        if (sql.includes('api_keys k')) looks += 1;
        return database.query(sql, values, options);
      },
    },
    logger,
    now,
  });
  t.teardown(() => many.close());
  await many.findKey(secret);
  await many.findKey(last.secret);
  await database.transaction(async (tx) => {
    await tx.query("INSERT INTO changes (kind, subject) SELECT 'key', n::text FROM generate_series(1, 2500) AS n");
    await tx.query('UPDATE api_keys SET revoked_at = now() WHERE key_id = $1', [last.keyId]);
  });
  await waitUntil(async () => (await many.findKey(last.secret)) === null, 'the last change is known');
  looks = 0;
  t.ok(await many.findKey(secret));
  t.equal(looks, 0, 'a key that did not change is still cached');
});

t.test('cut off from the database, a cached key is honoured for the stated time and no longer', async (t) => {
  let away = false;
  let elapsedMs = 0;
  const cut = await openDirectories({
    database: {
      ...database,
      query: (sql, values, options) =>
        away ? Promise.reject(storeUnavailable('cut off')) : database.query(sql, values, options),
    },
    logger,
    now,
    cachedKeysMaxMs: 60_000,
    elapsed: () => elapsedMs,
  });
  t.teardown(() => cut.close());
  const { secret, keyId } = await mintKey(database, { organizationId, projectId, name: 'C', isTest: false });
  t.ok(await cut.findKey(secret));
  away = true;
  await database.query('UPDATE api_keys SET revoked_at = now() WHERE key_id = $1', [keyId]);
  elapsedMs += 59_000;
  t.ok(await cut.findKey(secret), 'it is cached, and the cut is short');
  t.ok(cut.honoursKeys());
  elapsedMs += 2_000;
  await t.rejects(cut.findKey(secret), { code: 'STORE_UNAVAILABLE' });
  t.ok(cut.feedAgeMs() > 60_000);
  t.notOk(cut.honoursKeys(), 'balancers had better look away');
  away = false;
  await waitUntil(async () => (await cut.findKey(secret).catch(() => undefined)) === null, 'the revocation');
  await waitUntil(async () => cut.honoursKeys(), 'the feed is there again');
});

t.test('a full cache is forgotten a portion at a time, what nobody asked for lately first', async (t) => {
  let loads = 0;
  const directory = createDirectory(10_000, async (id) => ({ id, load: (loads += 1) }), { portionEveryMs: 5 });
  for (let n = 0; n < 2_500; n += 1) await directory.get(String(n));
  const cleared = directory.clear();
  t.match(await directory.get('2499'), { load: 2_500 }, 'what was asked for last is still there');
  t.match(await directory.get('0'), { load: 2_501 });
  await cleared;
  await Promise.all(['1500', '2499'].map((id) => directory.get(id)));
  t.equal(loads, 2_503, 'in the end all of it is loaded anew');
});
