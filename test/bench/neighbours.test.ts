import t from 'tap';
import { benchNeighbours } from '../../bench/neighbours.js';

t.setTimeout(240_000);

t.test('while one organization does heavy things as fast as it can, no call of another fails', async (t) => {
  const only = ['recount', 'export', 'entry', 'faces'] as const;
  const { table, ratios } = await benchNeighbours({ seconds: 0.6, perSecond: 10, places: 50, embedded: true, only });
  t.comment(table);
  for (const thing of only) {
    t.equal(ratios[`${thing}Failures`], 0, `${thing}: the neighbour’s calls`);
    t.equal(ratios[`${thing}StormFailures`], 0, `${thing}: the storm is refused with 429 alone`);
    t.ok(Number.isFinite(ratios[`${thing}Storm`]), `${thing}: the storm gets on`);
  }
});
