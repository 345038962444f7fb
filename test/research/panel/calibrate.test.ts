import t from 'tap';
import { calibrate, solveClean } from '../../../research/panel/calibrate.js';
import { createDraw } from '../../../research/panel/draw.js';

const draw = createDraw(5);
const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));
const rows = Array.from({ length: 30_000 }, () => {
  const balance = draw.normal(-1, 2);
  return { balance, weight: Math.max(0, balance), fraud: draw.chance(sigmoid(balance - 3)), market: 0 };
});

t.test(
  'the share of fraud without evidence expects as much fraud as there is, with evidence that is never negative',
  (t) => {
    const clean = solveClean(rows);
    const expected = rows.reduce((sum, { weight }) => sum + sigmoid(Math.log(clean / (1 - clean)) + weight), 0);
    t.ok(Math.abs(expected / rows.filter(({ fraud }) => fraud).length - 1) < 0.01);
    t.ok(clean < sigmoid(-3), 'what is cut off at 0 lowers it');
    t.end();
  },
);

t.test(
  'the curve from balance to probability rises, follows the published rates and widens with other markets',
  (t) => {
    const knots = calibrate(rows);
    for (const [n, [balance = 0, value = 0, low = 0, high = 0]] of knots.entries()) {
      t.ok(n === 0 || value > (knots[n - 1]?.[1] ?? 0));
      t.ok(Math.abs(Math.log(value / (1 - value)) - (balance - 3)) < 0.6, `${balance}: ${value}`);
      t.ok(low < value && value < high);
    }
    const other = rows.map((row) => ({ ...row, market: 1, fraud: row.fraud || draw.chance(0.1) }));
    const wide = calibrate([...rows, ...other]);
    t.same(
      wide.map(([, value]) => value),
      knots.map(([, value]) => value),
    );
    t.ok((wide[4]?.[3] ?? 0) > (knots[4]?.[3] ?? 1));
    t.end();
  },
);
