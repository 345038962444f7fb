import t from 'tap';
import { compareScores, report } from '../../bench/compare.js';
import { packageRoot } from '../../src/package-root.js';

t.setTimeout(120_000);

t.test('ratios are of rounds that followed each other, with their spread', async (t) => {
  const before = new Map([
    ['CPU us', [100, 200, 400]],
    ['of the old commit alone', [1]],
  ]);
  const after = new Map([
    ['CPU us', [50, 150, 200]],
    ['of the new commit alone', [1]],
  ]);
  const { table, ratios } = report(['A', 'B'], [before, after]);
  t.same(ratios, { 'CPU us': 0.5 });
  t.match(table, /^\| CPU us +\| 200 +\| 150 +\| 0\.50 +\| 0\.50 to 0\.75 +\|$/m);
});

t.test('two checkouts are measured in turns', async (t) => {
  const options = { seconds: 0.1, rounds: 2, rates: [50], warm: { requests: 20, seconds: 1 } };
  const figures = await compareScores([packageRoot, packageRoot], options);
  t.equal(figures.length, 2);
  for (const one of figures)
    for (const name of ['requests/s', 'CPU us', 'KB allocated', 'CPU us at 50/s', 'p95 ms at 50/s'])
      t.ok(
        one.get(name)?.every((value) => value >= 0),
        name,
      );
});
