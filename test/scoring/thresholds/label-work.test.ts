import t from 'tap';
import { createLabelWork } from '../../../src/scoring/thresholds/label-work.js';
import { recordSessions } from '../../../src/scoring/thresholds/mix-store.js';
import { openEmbeddedDatabase } from '../../../src/stores/database/embedded/open.js';
import { migrate } from '../../../src/stores/database/migrate.js';

const database = await openEmbeddedDatabase({ directory: null });
t.teardown(() => database.close());
await migrate(database);

t.test('one project’s back-fill of labels holds up no other', async (t) => {
  const scored = (namespace: string, sessionRef: string) => ({
    ...{ namespace, sessionRef, receiptId: `rcpt_${namespace}${sessionRef}`, scoredAt: new Date(), sourceId: 'panel' },
    ...{ cell: 'cell', recommendation: 'allow' as const },
  });
  const sessions = [...Array.from({ length: 60 }, (_, n) => scored('proj_large', `s${n}`)), scored('proj_small', 's')];
  await database.transaction((tx) => recordSessions(tx, sessions));
  for (const { namespace, sessionRef } of sessions) {
    await database.query(
      "INSERT INTO adjudications (project_id, session_ref, fraud, clawback, at, subjects) VALUES ($1, $2, true, false, now(), '{}')",
      [namespace, sessionRef],
    );
    await database.query('INSERT INTO label_work (project_id, session_ref) VALUES ($1, $2)', [namespace, sessionRef]);
  }
  const labels = createLabelWork(database, 10);
  const labelled = async (namespace: string): Promise<number> =>
    (await database.query("SELECT 1 FROM scored_sessions WHERE project_id = $1 AND label = 'fraud'", [namespace]))
      .length;
  t.ok((await labels.next()) <= 10);
  t.equal(await labelled('proj_small'), 1, 'it came last, and is served in the first batch');
  t.ok((await labelled('proj_large')) < 10);
  while ((await labels.next()) > 0);
  t.equal(await labelled('proj_large'), 60);
  t.same(await database.query('SELECT 1 FROM label_work'), []);
});
