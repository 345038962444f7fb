import t from 'tap';
import { createLabelWork } from '../../../src/scoring/thresholds/distribution-round.js';
import { counting, relabelSessions, type ScoredSession } from '../../../src/scoring/thresholds/distribution-store.js';
import { callFunctions } from '../../../src/stores/database/call-functions.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import { createLogger } from '../../../src/telemetry/logger.js';

const recordSessions = (sessions: readonly ScoredSession[]) => callFunctions(database, [counting(sessions)]);
const database = await openTestDatabase(t);

t.test('one project’s back-fill of labels holds up no other', async (t) => {
  const scored = (namespace: string, sessionRef: string) => ({
    ...{ namespace, sessionRef, receiptId: `rcpt_${namespace}${sessionRef}`, scoredAt: new Date(), sourceId: 'panel' },
    ...{ cell: 'cell', recommendation: 'allow' as const, independence: 80 },
  });
  const sessions = [...Array.from({ length: 60 }, (_, n) => scored('proj_large', `s${n}`)), scored('proj_small', 's')];
  await recordSessions(sessions);
  for (const { namespace, sessionRef } of sessions) {
    await database.query(
      "INSERT INTO adjudications (namespace, session_ref, fraud, clawback, at, subjects) VALUES ($1, $2, true, false, now(), '{}')",
      [namespace, sessionRef],
    );
    await database.query('INSERT INTO label_work (namespace, session_ref) VALUES ($1, $2)', [namespace, sessionRef]);
  }
  const labels = createLabelWork({ database, logger: createLogger('silent') }, 10);
  const labelled = async (namespace: string): Promise<number> =>
    (await database.query("SELECT 1 FROM scored_sessions WHERE namespace = $1 AND label = 'fraud'", [namespace]))
      .length;
  t.ok((await labels.next()) <= 10);
  t.equal(await labelled('proj_small'), 1, 'it came last, and is served in the first batch');
  t.ok((await labelled('proj_large')) < 10);
  while ((await labels.next()) > 0);
  t.equal(await labelled('proj_large'), 60);
  t.same(await database.query('SELECT 1 FROM label_work'), []);
});

t.test('an order that cannot be worked off holds up no other', async (t) => {
  await database.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`);
  await database.query(
    `CREATE TRIGGER refuse BEFORE INSERT ON score_distribution FOR EACH ROW WHEN (NEW.namespace = 'proj_bad' AND NEW.label = 'fraud') EXECUTE FUNCTION refuse()`,
  );
  for (const namespace of ['proj_bad', 'proj_good']) {
    const session = { namespace, sessionRef: 's', receiptId: 'rcpt_1', scoredAt: new Date(), sourceId: 'panel' };
    await recordSessions([{ ...session, cell: 'cell', recommendation: 'allow', independence: 80 }]);
    await database.query(
      "INSERT INTO adjudications (namespace, session_ref, fraud, clawback, at, subjects) VALUES ($1, 's', true, false, now(), '{}')",
      [namespace],
    );
    await database.query("INSERT INTO label_work (namespace, session_ref) VALUES ($1, 's')", [namespace]);
  }
  const labels = createLabelWork({ database, logger: createLogger('silent') }, 10);
  for (let round = 0; round < 5; round += 1) await labels.next().catch(() => 0);
  const waiting = await database.query('SELECT namespace FROM label_work');
  t.same(waiting, [{ namespace: 'proj_bad' }], 'it rests, and is tried again later');
  await database.query('DROP TRIGGER refuse ON score_distribution');
  await database.query('DELETE FROM label_work');
});

t.test('counts are those of the sessions, in whatever order and however often receipts and labels come', async (t) => {
  const namespace = 'proj_counts';
  const scored = (session: number, hour: number) => ({
    ...{ namespace, sessionRef: `s${session}`, receiptId: `rcpt_${String(hour).padStart(4, '0')}` },
    scoredAt: new Date(Date.UTC(2026, 0, 1, hour)),
    ...{
      sourceId: `source-${hour % 2}`,
      cell: `${hour % 5}|||40`,
      recommendation: 'allow' as const,
      independence: 4 * hour,
    },
  });
  const label = async (session: number, fraud: boolean | null): Promise<void> => {
    const name = [namespace, `s${session}`];
    await database.query('DELETE FROM adjudications WHERE namespace = $1 AND session_ref = $2', name);
    if (fraud !== null)
      await database.query(
        "INSERT INTO adjudications (namespace, session_ref, fraud, clawback, at, subjects) VALUES ($1, $2, $3, false, '2026-02-01', '{}')",
        [...name, fraud],
      );
  };
  const differences = (): Promise<readonly unknown[]> =>
    database.query(
      `SELECT * FROM (SELECT day, source_id, cell, recommendation, label, label_day, sessions, independence FROM score_distribution WHERE namespace = $1 AND sessions <> 0) AS mix
         FULL JOIN (SELECT (scored_at AT TIME ZONE 'UTC')::date AS day, source_id, cell, recommendation, label, label_day, count(*) AS sessions, sum(independence) AS independence
                      FROM scored_sessions WHERE namespace = $1 GROUP BY 1, 2, 3, 4, 5, 6) AS counted
             USING (day, source_id, cell, recommendation, label, label_day, sessions, independence)
        WHERE mix.* IS NULL OR counted.* IS NULL`,
      [namespace],
    );
  const first = [scored(1, 1), scored(2, 30), scored(1, 40), scored(3, 3)];
  const later = [scored(2, 2), scored(3, 70), scored(4, 71)];
  for (const batch of [first, later, first, later]) {
    await recordSessions(batch);
    t.same(await differences(), []);
  }
  const latest = await database.query<{ receipt_id: string }>(
    'SELECT receipt_id FROM scored_sessions WHERE namespace = $1 ORDER BY session_ref',
    [namespace],
  );
  t.same(
    latest.map((row) => row.receipt_id),
    ['rcpt_0040', 'rcpt_0030', 'rcpt_0070', 'rcpt_0071'],
  );
  for (const said of [true, false, false, null]) {
    await label(1, said);
    await label(4, true);
    await relabelSessions(database, [...later, ...first, { namespace, sessionRef: 'never scored' }]);
    await recordSessions([scored(4, 72)]);
    t.same(await differences(), []);
    const [row] = await database.query<{ label: string }>(
      "SELECT label FROM scored_sessions WHERE namespace = $1 AND session_ref = 's1'",
      [namespace],
    );
    t.equal(row?.label, { true: 'fraud', false: 'complete', null: 'none' }[String(said)]);
  }
});
