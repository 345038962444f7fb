import t from 'tap';
import { auditLifetime } from '../../../src/administration/audit.js';
import { dropOverAge } from '../../../src/stores/database/retention.js';
import { keepDays } from '../../../src/scoring/outcomes/history-shifts.js';
import { readBacklogs } from '../../../src/scoring/outcomes/outcome-backlog.js';
import { dropExpiredOutcomes } from '../../../src/scoring/outcomes/outcome-retention.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import { storeUnavailable } from '../../../src/errors.js';
import type { Queryable } from '../../../src/stores/database/port.js';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2030, 0, 1);
const daysAgo = (days: number): Date => new Date(nowMs - days * dayMs);
const dayOf = (days: number): string => String(Math.floor(daysAgo(days).getTime() / dayMs));

const database = await openTestDatabase(t);
const count = async (table: string): Promise<number> =>
  Number((await database.query<{ n: string }>(`SELECT count(*)::text AS n FROM ${table}`))[0]?.n);

t.test('what waits between an outcome and the history is counted, with the age of the oldest', async (t) => {
  await database.query(
    "INSERT INTO adjudication_work (namespace, session_ref, ordered_at) VALUES ('b', 's', now() - interval '50 seconds')",
  );
  await database.query(
    "INSERT INTO history (namespace, subject_ref, version, published, days, changed_at) VALUES ('b', 'u', 2, 1, '{}', now() - interval '70 seconds'), ('b', 'v', 2, 2, '{}', now() - interval '1 day')",
  );
  await database.query(
    "INSERT INTO outcomes (namespace, session_ref, type, occurred_at, received_at) SELECT 'b', 's' || age, 'accepted', now(), now() - age * interval '1 minute' FROM unnest(ARRAY[1, 20, 90]) AS age",
  );
  const found = Object.fromEntries((await readBacklogs(database)).map((one) => [one.kind, one]));
  const isAbout = (seconds: number | undefined, wanted: number): boolean => Math.abs((seconds ?? 0) - wanted) < 30;
  t.match(found, { adjudications: { waiting: 1 }, history: { waiting: 1 }, outcomes: { waiting: 2 } });
  t.ok(isAbout(found['adjudications']?.oldestSeconds, 50) && isAbout(found['history']?.oldestSeconds, 70));
  t.ok(isAbout(found['outcomes']?.oldestSeconds, 90 * 60), 'a young outcome may still wait for its score');
  for (const table of ['adjudication_work', 'history', 'outcomes']) await database.query(`DELETE FROM ${table}`);
  t.match(
    (await readBacklogs(database)).map((one) => one.oldestSeconds),
    [0, 0, 0],
  );
});

t.test('outcomes go by their receipt, adjudications and histories once they weigh nothing', async (t) => {
  await database.query(
    `INSERT INTO outcomes (namespace, session_ref, type, occurred_at, received_at)
     SELECT 'p', 's' || n, 'fraud_confirmed', $1::timestamptz, CASE WHEN n <= 2500 THEN $1::timestamptz ELSE $2::timestamptz END FROM generate_series(1, 2503) AS n`,
    [daysAgo(31), daysAgo(29)],
  );
  const adjudicate = (session: string, at: Date, subjects: string): Promise<unknown> =>
    database.query(
      "INSERT INTO adjudications (namespace, session_ref, fraud, clawback, at, subjects) VALUES ('p', $1, true, false, $2, string_to_array($3, ','))",
      [session, at, subjects],
    );
  await adjudicate('old', daysAgo(keepDays + 2), 'only-old,mixed,untold');
  await adjudicate('new', daysAgo(keepDays - 1), 'mixed');
  const remember = (subject: string, days: readonly number[], published: number): Promise<unknown> =>
    database.query(
      "INSERT INTO history (namespace, subject_ref, version, published, days) VALUES ('p', $1, 1, $2, $3::jsonb)",
      [subject, published, JSON.stringify(Object.fromEntries(days.map((day) => [dayOf(day), [1, 1, 0]])))],
    );
  await remember('only-old', [keepDays + 2], 1);
  await remember('mixed', [keepDays + 2, keepDays - 1], 1);
  await remember('untold', [keepDays + 2], 0);
  await remember('stranger', [keepDays + 2], 1);

  await database.query(
    `INSERT INTO outcome_subjects SELECT 'p', session, '{}', true FROM unnest(ARRAY['s1', 's2', 's2503', 'old', 'new']) AS session`,
  );
  await adjudicate('s2', daysAgo(31), 'mixed');
  t.equal(await dropExpiredOutcomes(database, nowMs, 30, () => true), 0, 'stopped before it began');
  t.equal(await dropExpiredOutcomes(database, nowMs, 30), 2_500 + 1 + 1);
  t.equal(await count('outcomes'), 3);
  t.same(
    (await database.query<{ name: string }>('SELECT session_ref AS name FROM outcome_subjects ORDER BY 1')).map(
      ({ name }) => name,
    ),
    ['new', 's2', 's2503'],
    'whose history it is goes with the last outcome and the adjudication',
  );
  const left = await database.query<{ name: string }>('SELECT subject_ref AS name FROM history ORDER BY 1');
  t.same(
    left.map(({ name }) => name),
    ['mixed', 'stranger', 'untold'],
    'a record that scoring was not told of yet stays',
  );
  t.equal(await dropExpiredOutcomes(database, nowMs, 30), 0);
});

t.test('a deletion that ends halfway has deleted nothing whose effects it did not see to', async (t) => {
  await database.query(
    `INSERT INTO outcomes (namespace, session_ref, type, occurred_at, received_at)
     SELECT 'half', session, 'fraud_confirmed', $1::timestamptz, $1::timestamptz FROM unnest(ARRAY['one', 'two']) AS session`,
    [daysAgo(31)],
  );
  await database.query(
    `INSERT INTO adjudications (namespace, session_ref, fraud, clawback, at, subjects)
     SELECT 'half', session, true, false, at, ARRAY['half'] FROM (VALUES ('one', $1::timestamptz), ('old', $2)) AS made (session, at)`,
    [daysAgo(31), daysAgo(keepDays + 2)],
  );
  await database.query(
    "INSERT INTO history (namespace, subject_ref, version, published, days) VALUES ('half', 'half', 1, 1, '{}')",
  );
  /** A database that is away from the statement on that begins so. */
  const awayFrom = (beginning: string): typeof database => {
    const over = (on: Queryable): Queryable => ({
      query: (sql, values, options) =>
        sql.startsWith(beginning) ? Promise.reject(storeUnavailable('away')) : on.query(sql, values, options),
    });
    return {
      ...database,
      ...over(database),
      transaction: (run, options) => database.transaction((tx) => run(over(tx)), options),
    };
  };
  const ofHalf = async (table: string): Promise<readonly unknown[]> =>
    database.query(`SELECT session_ref FROM ${table} WHERE namespace = 'half' ORDER BY 1`);
  await t.rejects(dropExpiredOutcomes(awayFrom('UPDATE adjudications'), nowMs, 30), { code: 'STORE_UNAVAILABLE' });
  t.equal((await ofHalf('outcomes')).length, 2, 'else a later event would take back what rests on them');
  await t.rejects(dropExpiredOutcomes(awayFrom('DELETE FROM history'), nowMs, 30), { code: 'STORE_UNAVAILABLE' });
  t.equal((await ofHalf('adjudications')).length, 2, 'else nobody would delete the record of its subject');
  await dropExpiredOutcomes(database, nowMs, 30);
  t.same(await ofHalf('outcomes'), []);
  t.same(await database.query("SELECT session_ref, events_dropped FROM adjudications WHERE namespace = 'half'"), [
    { session_ref: 'one', events_dropped: true },
  ]);
  t.same(await database.query("SELECT 1 AS one FROM history WHERE namespace = 'half'"), []);
});

t.test('audit entries of every organization go by their age', async (t) => {
  for (const organization of ['org_a', 'org_b']) {
    await database.query("INSERT INTO organizations (organization_id, name, tier) VALUES ($1, 'n', 'free')", [
      organization,
    ]);
    for (const days of [9, 11]) {
      await database.query(
        `INSERT INTO audit_entries (entry_id, organization_id, at, actor_kind, actor_id, action, subject_kind, subject_id, detail)
         VALUES ($1, $2, $3, 'operator', 'o', 'a', 'k', 'i', '{}'::jsonb)`,
        [`${organization}-${days}`, organization, daysAgo(days)],
      );
    }
  }
  t.equal(await dropOverAge(database, auditLifetime(10), nowMs), 2);
  t.equal(await count('audit_entries'), 2);
});
