import t from 'tap';
import { createBoundedLabels } from '../../src/telemetry/dashboard-metrics.js';

t.test('however many values come, so many series are made and the rest share one', async (t) => {
  const label = createBoundedLabels(3);
  const seen = new Set(Array.from({ length: 1_000 }, (_, n) => label(`source ${n}`)));
  t.same([...seen], ['source 0', 'source 1', 'source 2', 'other']);
  t.equal(label('source 1'), 'source 1', 'one that has a series keeps it');
});
