/** Counts of links that open nothing: kept in memory, bounded, and written together. */
import t from 'tap';
import { createRefusedLinks, readRefusedLinks, refusedLinksMax } from '../../src/audience/refused-links.js';
import { openTestDatabase } from '../helpers/embedded.js';
import { makeStudy } from '../helpers/reservations.js';

t.setTimeout(60_000);

t.test('counts that could not be written are written by the next round, once', async (t) => {
  const database = await openTestDatabase(t);
  const study = await makeStudy(database, 5);
  let isAway = true;
  const links = createRefusedLinks({
    query: (sql, values) => (isAway ? Promise.reject(new Error('away')) : database.query(sql, values)),
  });
  links.note(study, { named: null, reason: 'expired' });
  await t.rejects(links.write(), { message: 'away' });
  links.note(study, { named: null, reason: 'expired' });
  isAway = false;
  await links.write();
  await links.write();
  t.match(await readRefusedLinks(database, study.studyId), [{ reason: 'expired', visits: 2 }]);
});

t.test('kinds beyond the most that are kept wait for the next round', async (t) => {
  let written: readonly unknown[] = [];
  const links = createRefusedLinks({
    query: (_sql, values = []) => Promise.resolve([]).then(() => ((written = values[0] as unknown[]), [])),
  });
  for (let n = 0; n < refusedLinksMax + 5; n++)
    links.note({ studyId: `study_${n}`, organizationId: 'org' }, { named: null, reason: 'expired' });
  await links.write();
  t.equal(written.length, refusedLinksMax);
});

t.test('the counts have no foreign key, which would lock the row of the study', async (t) => {
  const database = await openTestDatabase(t);
  const [row] = await database.query<{ constraints: number }>(
    `SELECT count(*)::int AS constraints FROM pg_constraint WHERE conrelid = 'study_refused_links'::regclass AND contype = 'f'`,
  );
  t.equal(row?.constraints, 0);
});
