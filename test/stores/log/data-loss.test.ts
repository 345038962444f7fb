import t from 'tap';
import { createDataLossReporter } from '../../../src/stores/log/port.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { waitUntil } from '../../helpers/wait-until.js';

t.test('the log names the sum of all lost entries of a group, as the metric does', async (t) => {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Readonly<Record<string, unknown>>);
  const metrics = createMetrics();
  const report = createDataLossReporter(createLogger('info', { write }, 50), metrics);
  for (let partition = 0; partition < 5; partition += 1) report({ topic: 'events', group: 'fan-out', entries: 6 });
  report({ topic: 'events', group: 'rollups', entries: 4 });
  t.match(lines, [{ group: 'fan-out' }, { group: 'rollups', entriesTotal: 4 }], 'one group does not hold back another');
  await waitUntil(() => lines.length > 2, 'what was held back is summed up');
  t.match(lines[2], { group: 'fan-out', entriesTotal: 30, repeated: 4 });
  const { values } = await metrics.logLost.get();
  t.equal(values.find(({ labels }) => labels['group'] === 'fan-out')?.value, 30);
});
