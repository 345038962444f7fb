import { randomUUID } from 'node:crypto';
import t from 'tap';
import { dropExpiredOutcomes } from '../../../src/scoring/outcomes/outcome-retention.js';
import type { OutcomeRow } from '../../../src/scoring/outcomes/outcome-rows.js';
import { storeEvents } from '../../../src/scoring/outcomes/outcome-store.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import type { Database } from '../../../src/stores/database/port.js';
import { workOff } from '../../helpers/outcome-work.js';

const namespace = 'proj_1';
const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));
const event = (type: string, day: number, over: Partial<OutcomeRow> = {}): OutcomeRow => ({
  namespace,
  sessionRef: 'session',
  type,
  occurredAt: at(day),
  target: '',
  reasonClass: null,
  respondentRef: null,
  eventId: null,
  ...over,
});

async function openDatabase(): Promise<Database> {
  const database = await openTestDatabase(t);
  await database.query(
    "CREATE TABLE receipts_20260101 PARTITION OF receipts FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2026-01-02 00:00:00+00')",
  );
  return database;
}

async function scored(database: Database, subjects: readonly string[], sessionRef = 'session'): Promise<void> {
  const receiptId = `rcpt_${randomUUID()}`;
  await database.query(
    `INSERT INTO receipts (receipt_id, scored_at, organization_id, namespace, session_ref, subjects, respondent_known, record, seal, batch_seq, salt)
     VALUES ($4, $1, 'org', $2, $5, $3, true, '', '', 1, '')`,
    [at(1), namespace, subjects, receiptId, sessionRef],
  );
  await database.query(
    `INSERT INTO session_index (organization_id, namespace, session_ref, session_id, first_scored_at, receipt_id, scored_at, score, recommendation,
                                verdict_class, duplicate_band, subjects, respondent_known)
     VALUES ('org', $2, $5, $5, $1, $4, $1, 0, 'allow', 'clean', 'none', $3, true)`,
    [at(1), namespace, subjects, receiptId, sessionRef],
  );
}

async function post(database: Database, ...rows: readonly OutcomeRow[]): Promise<number> {
  const { accepted } = await storeEvents(database, rows);
  await workOff(database);
  return accepted.length;
}

const historyOf = async (database: Database): Promise<object> =>
  Object.fromEntries(
    (
      await database.query<{ subject_ref: string; days: Record<string, unknown> }>(
        "SELECT subject_ref, days FROM history WHERE days <> '{}' ORDER BY subject_ref",
      )
    ).map(({ subject_ref, days }) => [subject_ref, Object.values(days)]),
  );

t.test('a reversal after its receipt was dropped still counts, and never deletes an earlier record', async (t) => {
  const database = await openDatabase();
  await scored(database, ['respondent', 'source']);
  await post(database, event('complete', 2));
  t.same(await historyOf(database), { respondent: [[1, 0, 0]], source: [[1, 0, 0]] });
  await database.query('DROP TABLE receipts_20260101');
  await post(database, event('buyer_reject', 30, { reasonClass: 'fraud' }));
  t.same(await historyOf(database), { respondent: [[1, 1, 1]], source: [[1, 1, 1]] });
});

t.test('subjects are kept also where the first outcome counted for nothing', async (t) => {
  const database = await openDatabase();
  await scored(database, ['respondent']);
  await post(database, event('buyer_reject', 3));
  t.same(await historyOf(database), {});
  await database.query('DROP TABLE receipts_20260101');
  t.equal(await post(database, event('buyer_reject', 3, { reasonClass: 'fraud' })), 1, 'a class given later is news');
  t.same(await historyOf(database), { respondent: [[1, 1, 1]] });
});

t.test(
  'the latest statement of an event stands, and a late retry of one that was replaced is a duplicate',
  async (t) => {
    const database = await openDatabase();
    await scored(database, ['respondent']);
    t.equal(await post(database, event('ban', 4, { reasonClass: 'fraud' })), 1);
    t.equal(await post(database, event('ban', 4, { reasonClass: 'fit' })), 1);
    t.same(await historyOf(database), {});
    t.equal(await post(database, event('ban', 4, { reasonClass: 'fraud' })), 0);
    t.equal(await post(database, event('ban', 4)), 0);
    t.same(await historyOf(database), {}, 'a retry undoes nothing');
    const [first, second] = [4, 5].map((day) =>
      event('custom', day + 20, { target: day === 4 ? `ban@${at(4).getTime()}` : `custom@${at(24).getTime()}` }),
    ) as [OutcomeRow, OutcomeRow];
    await post(database, event('ban', 4, { reasonClass: 'unknown' }), event('ban', 4, { reasonClass: 'quality' }));
    t.equal(await post(database, first, second), 2, 'a retraction, and what takes it back');
    t.same(await historyOf(database), {});
  },
);

t.test('statements of one request keep their order', async (t) => {
  const database = await openDatabase();
  await scored(database, ['respondent']);
  const both = [event('ban', 4, { reasonClass: 'fit' }), event('ban', 4, { reasonClass: 'fraud' }), event('ban', 4)];
  t.equal(await post(database, ...both), 2, 'the one that says nothing beside them is none');
  t.same(await historyOf(database), { respondent: [[1, 1, 0]] });
});

t.test('what rested on events that are past their lifetime goes on standing until it is taken back', async (t) => {
  const database = await openDatabase();
  await scored(database, ['respondent']);
  await post(database, event('ban', 4, { reasonClass: 'fraud' }));
  await database.query('DROP TABLE receipts_20260101');
  await dropExpiredOutcomes(database, Date.now() + 500 * 86_400_000, 400);
  t.same(await database.query('SELECT 1 FROM outcomes'), [], 'the event itself is gone');
  await post(database, event('complete', 40));
  t.same(await historyOf(database), { respondent: [[1, 1, 0]] }, 'a late completion does not make it honest');
  await post(database, event('reconciliation', 41, { reasonClass: 'fraud' }));
  t.same(await historyOf(database), { respondent: [[1, 1, 1]] }, 'a late reversal adds to it');
  await post(database, event('custom', 50, { target: `ban@${at(4).getTime()}` }));
  t.same(await historyOf(database), { respondent: [[1, 1, 1]] }, 'what is left stands by itself');
  await post(database, event('custom', 51, { target: `reconciliation@${at(41).getTime()}` }));
  t.same(await historyOf(database), { respondent: [[1, 0, 0]] });
});
