import t from 'tap';
import { drawVisitors, supplierCount } from '../../bench/study-visitors.js';
import { benchStudy } from '../../bench/study.js';

t.setTimeout(180_000);

t.test('a small run of the bench lets honest visitors in, and each complete counts once', async (t) => {
  const { table, ratios } = await benchStudy({ traffic: 60 });
  t.match(table, /honest/);
  t.ok((ratios['completes'] ?? 0) > 0, table);
  t.ok((ratios['honestLost'] ?? 1) < 0.5, table);
});

t.test('the report that a run ends with equals a recount of its places', async (t) => {
  const { table, ratios } = await benchStudy({ traffic: 40, intruders: 10 });
  t.match(table, /The report equals a recount of the places in SQL/);
  t.match(ratios, { visitors: 40, recountDifferences: 0 });
  const { completes = 0, beforeFull = 0 } = ratios;
  t.equal(completes, 20, 'the study is full');
  t.ok(beforeFull >= completes && beforeFull < 40, `${beforeFull} visitors came before it was full`);
});

t.test('visitors are drawn in the numbers asked for, in time, and no repeat comes before its first visit', (t) => {
  const visitors = drawVisitors(400, 60);
  const count = (kind: string): number => visitors.filter((visitor) => visitor.kind === kind).length;
  t.same([visitors.length, count('honest'), count('repeat'), count('fraud')], [400, 340, 30, 30]);
  const seen = new Set<string>();
  let beforeMs = 0;
  for (const { kind, session } of visitors) {
    t.ok(session.atMs >= beforeMs);
    beforeMs = session.atMs;
    if (kind === 'repeat') t.ok(seen.has(session.truth.person));
    seen.add(session.truth.person);
  }
  t.equal(new Set(visitors.map(({ supplier }) => supplier)).size, supplierCount);
  t.throws(() => drawVisitors(50, 49), /Draw more/);
  t.end();
});
