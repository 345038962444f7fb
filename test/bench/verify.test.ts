import t from 'tap';
import { benchVerify } from '../../bench/verify.js';

t.setTimeout(120_000);

t.test('a small run of the bench answers without errors and reports its ratios', async (t) => {
  const { table, ratios } = await benchVerify({
    seconds: 0.1,
    rounds: 1,
    connections: 8,
    perSecond: 40,
    tokens: 3,
    embedded: true,
  });
  t.equal(ratios['errors'], 0, table);
  for (const name of ['tokenRatio', 'tokenCpuRatio', 'verifyP50Ratio', 'verifyP95Ratio', 'verifyCpuRatio'])
    t.type(ratios[name], 'number', name);
});
