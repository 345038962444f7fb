import { join } from 'node:path';
import t, { type Test } from 'tap';
import { insertOrganization } from '../../../src/administration/organization-store.js';
import { insertProject } from '../../../src/administration/project-store.js';
import { mintKey } from '../../../src/administration/api-keys.js';
import { operator, recordAudit } from '../../../src/administration/audit.js';
import { createSigningSecrets } from '../../../src/administration/signing-secrets.js';
import { findPartitionsBefore, makePartitionsAhead } from '../../../src/scoring/receipts/partitions.js';
import { inOrganization } from '../../../src/stores/database/tenant.js';
import { openEmbeddedDatabase } from '../../../src/stores/database/embedded/open.js';
import { migrate } from '../../../src/stores/database/migrate.js';
import { openPostgres } from '../../../src/stores/database/postgres/open.js';
import type { Database, Queryable, Row } from '../../../src/stores/database/port.js';
import { writeEvents } from '../../../src/stores/outbox/outbox.js';
import { deliveryIdOf, insertDeliveries, writeResults } from '../../../src/webhooks/delivery-store.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { verificationEvent } from '../../helpers/session-events.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { createDatabase, findStack } from '../../helpers/stores.js';

const tables = [
  ...['organizations', 'projects', 'api_keys', 'signing_secrets', 'audit_entries', 'outbox', 'session_index'],
  ...['webhooks', 'webhook_events', 'deliveries', 'delivery_attempts'],
];

async function makeOrganization(database: Database, name: string): Promise<string> {
  await makePartitionsAhead(database);
  return database.transaction(async (tx) => {
    const organizationId = await insertOrganization(tx, { name, tier: 'free', liteEnabled: false });
    const project = await insertProject(tx, organizationId, { name });
    if (project === null) throw new Error('no project');
    await createSigningSecrets(new Uint8Array(32)).rotate(tx, project, false);
    await mintKey(tx, { organizationId, projectId: project.projectId, name, isTest: false });
    const event = verificationEvent(project);
    await writeEvents(tx, [event]);
    await tx.query(
      `INSERT INTO session_index (organization_id, namespace, session_ref, session_id, first_scored_at, scored_at, receipt_id, score, recommendation, verdict_class, duplicate_band, subjects, respondent_known)
       VALUES ($1, $2, 'ref', 's-1', now(), now(), 'rcpt_' || $1, 0, 'allow', 'human', 'none', '{}', false)`,
      [organizationId, project.projectId],
    );
    await tx.query(
      `INSERT INTO webhooks (webhook_id, organization_id, project_id, url, events, payload_version, include_test, enabled, sealed)
       VALUES ('whk_' || $1, $1, $2, 'https://example.com/', '{}', 'v2', false, true, '')`,
      [organizationId, project.projectId],
    );
    await seedScored(tx, organizationId, project.projectId);
    const delivery = { webhookId: `whk_${organizationId}`, deliveryId: deliveryIdOf(event.eventId, 'whk_1') };
    await insertDeliveries(
      tx,
      [{ ...event, body: '{}' }],
      [{ ...event, ...delivery, eventType: event.type, leased: true }],
      1_000,
    );
    await writeResults(tx, [
      {
        ...{ ...delivery, token: 1, attempt: 1, state: 'SUCCEEDED', retryInMs: null, statusCode: 200 },
        ...{ responseBody: '', durationMs: 1, error: null, startedAtMs: 0 },
      },
    ]);
    await recordAudit(tx, operator, {
      organizationId,
      action: 'organization.created',
      subject: { kind: 'organization', id: organizationId },
    });
    return organizationId;
  });
}

/** Background work alone goes through these, and no statement of one organization has a grant on them. */
const scored = ['receipts', 'outcomes', 'outcome_subjects', 'adjudications', 'history'];

/** A row of each, the session being one of a test key's world. */
async function seedScored(tx: Queryable, organizationId: string, projectId: string): Promise<void> {
  await tx.query(
    `INSERT INTO receipts (receipt_id, scored_at, organization_id, namespace, session_ref, subjects, respondent_known, record, seal, batch_seq, salt)
     VALUES ('rcpt_' || $1, now(), $1, $2, 'ref', '{}', false, '', '', 1, '')`,
    [organizationId, projectId],
  );
  const namespace = [`${projectId}~test`];
  await tx.query(
    "INSERT INTO outcomes (namespace, session_ref, type, occurred_at) VALUES ($1, 'ref', 'complete', now())",
    namespace,
  );
  await tx.query("INSERT INTO outcome_subjects VALUES ($1, 'ref', '{}', false)", namespace);
  await tx.query(
    "INSERT INTO adjudications (namespace, session_ref, fraud, clawback, at, subjects) VALUES ($1, 'ref', false, false, now(), '{}')",
    namespace,
  );
  await tx.query("INSERT INTO history (namespace, subject_ref, version, days) VALUES ($1, 'ref', 1, '{}')", namespace);
}

/** A grant that somebody adds opens nothing, in a day's partition as in the whole. */
async function holdScored(t: Test, database: Database, organizationId: string): Promise<void> {
  const days = await findPartitionsBefore(database, Infinity);
  const today = `receipts_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`;
  t.ok(days.includes(today) && days.length >= 8, 'there are partitions');
  await database.query(`DROP TABLE ${days.at(-1)}`);
  await Promise.all([makePartitionsAhead(database), makePartitionsAhead(database)]);
  const bare = await database.query<{ name: string }>(
    "SELECT relname::text AS name FROM pg_class WHERE relname LIKE 'receipts_2%' AND relkind = 'r' AND NOT (relrowsecurity AND relforcerowsecurity)",
  );
  t.same(bare, [], 'each of them is guarded');
  for (const table of [...scored, today]) {
    await database.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO verifyhuman_tenant`);
    const seen = (run: (tx: Queryable) => Promise<readonly Row[]>) =>
      database.transaction(async (tx) => {
        await tx.query("SELECT set_config('role', 'verifyhuman_tenant', true)");
        return run(tx);
      });
    t.same(await seen((tx) => tx.query(`SELECT 1 FROM ${table}`)), [], `no organization, no ${table}`);
    t.same(await seen((tx) => tx.query(`DELETE FROM ${table} RETURNING 1`)), [], 'nor can anything of it be deleted');
    const inside = await inOrganization(database, organizationId, (tx) => tx.query(`SELECT 1 FROM ${table}`));
    t.same(inside, [], 'nor inside one: it is for work that goes through all of them');
    const ownersOwn = await database.transaction(async (tx) => {
      await tx.query(`GRANT SELECT ON ${table} TO pg_monitor`);
      await tx.query("SELECT set_config('vh.organization_id', $1, true), set_config('role', 'pg_monitor', true)", [
        organizationId,
      ]);
      return tx.query(`SELECT 1 FROM ${table}`);
    });
    t.same(ownersOwn, [], 'a role of another name is held to it inside an organization');
    await database.query(`REVOKE ALL ON ${table} FROM verifyhuman_tenant`);
  }
}

/** The new role sees nothing without an organization, and rows of no organization alone are not granted to it. */
async function holdClosed(t: Test, database: Database, organizationId: string): Promise<void> {
  const [role] = await database.query(
    "SELECT 1 FROM pg_roles WHERE rolname = 'verifyhuman_tenant' AND pg_has_role(oid, 'MEMBER')",
  );
  if (role === undefined) return;
  for (const table of tables) {
    const [row] = await database.transaction(async (tx) => {
      await tx.query("SELECT set_config('role', 'verifyhuman_tenant', true)");
      return tx.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
    });
    t.equal(row?.count, 0, `no organization, no ${table}`);
  }
  for (const table of [...scored, 'erased_respondents'])
    await t.rejects(
      inOrganization(database, organizationId, (tx) => tx.query(`SELECT 1 FROM ${table}`)),
      { message: /permission denied/ },
      table,
    );
  await holdScored(t, database, organizationId);
}

async function holdWall(t: Test, database: Database): Promise<void> {
  const [mine, theirs] = [await makeOrganization(database, 'Mine'), await makeOrganization(database, 'Theirs')];
  for (const table of tables) {
    const rows = await inOrganization(database, mine, (tx) =>
      tx.query<{ organization_id: string }>(`SELECT organization_id FROM ${table}`),
    );
    t.same(
      [...new Set(rows.map((row) => row.organization_id))],
      [mine],
      `a statement without a condition sees its own ${table}`,
    );
    const changed = await inOrganization(database, mine, (tx) =>
      tx.query(`UPDATE ${table} SET organization_id = organization_id WHERE organization_id = $1 RETURNING 1`, [
        theirs,
      ]),
    );
    t.same(changed, [], `nor can it write others’ ${table}`);
  }
  await holdClosed(t, database, mine);
  await t.rejects(
    inOrganization(database, mine, (tx) => insertProject(tx, theirs, { name: 'Smuggled' })),
    'nor put a row into another organization',
  );
  const all = await database.query<{ count: number }>('SELECT count(*)::int AS count FROM organizations');
  t.equal(all[0]?.count, 2, 'the wall ends with its transaction');
  t.throws(() => inOrganization(database, '', async () => undefined));
}

t.test('in the embedded database a transaction of one organization sees and writes no other’s rows', async (t) => {
  const database = await openEmbeddedDatabase({
    directory: join(temporaryDirectory(t), 'database'),
    logger: createLogger('silent', { write: () => undefined }),
  });
  t.teardown(() => database.close());
  await migrate(database);
  await holdWall(t, database);
});

const stack = findStack(t, 'row security on PostgreSQL');
if (stack !== null) {
  t.test('in PostgreSQL too', async (t) => {
    const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 2, deadlineMs: 10_000 });
    t.teardown(() => database.close());
    await holdWall(t, database);
  });
}
