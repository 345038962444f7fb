import t from 'tap';
import type { Receipt } from '../../../src/record/types.js';
import { releaseReceipts } from '../../../src/scoring/receipts/consumer.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';

const receipts = [
  { organizationId: 'org_1', projectId: 'proj_1', receiptId: 'a' },
  { organizationId: 'org_1', projectId: 'proj_1', receiptId: 'b', isTest: true },
  { organizationId: 'org_1', projectId: null, receiptId: 'c' },
  { organizationId: 'org_1', projectId: 'proj_1', receiptId: 'd' },
] as unknown as Receipt[];

t.test('recorded receipts are released in one call for each namespace', async (t) => {
  const calls: unknown[] = [];
  releaseReceipts(
    { counters: { releaseReceipts: async (...call) => void calls.push(call) }, metrics: createMetrics() },
    receipts,
  );
  t.same(calls, [
    ['proj_1', ['a', 'd']],
    ['proj_1~test', ['b']],
    ['org_1', ['c']],
  ]);
});

t.test('a counters store that is away is counted as a failure, and nobody waits for it', async (t) => {
  const metrics = createMetrics();
  releaseReceipts({ counters: { releaseReceipts: () => Promise.reject(new Error('away')) }, metrics }, receipts);
  await new Promise(setImmediate);
  t.match((await metrics.storeFailures.get()).values, [{ labels: { store: 'counters' }, value: 3 }]);
});
