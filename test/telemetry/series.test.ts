import t from 'tap';
import { createMetrics } from '../../src/telemetry/metrics.js';

t.test('the first failures of a route are a rise from 0, and later answers do not reset them', async (t) => {
  const { primeFailures, httpRequests, registry } = createMetrics();
  const failed = (route: string): string => `vh_http_request_seconds_count{route="${route}",status="503"}`;
  t.match(await registry.metrics(), `${failed('/api/v1/lite/score')} 0\n`);
  t.notMatch(await registry.metrics(), failed('/a'));
  primeFailures('/a');
  httpRequests.observe({ route: '/a', status: '503' }, 0.1);
  primeFailures('/a');
  t.match(await registry.metrics(), `${failed('/a')} 1\n`);
});

t.test('verifications that nobody made yet are series at 0, so that panels and their first rise show', async (t) => {
  const text = await createMetrics().registry.metrics();
  t.match(text, 'vh_sessions_created_total{mode="live"} 0\n');
  t.match(text, 'vh_verifications_total{status="pass",mode="live"} 0\n');
  t.match(text, 'vh_verify_stage_seconds_count{stage="verdict"} 0\n');
});

t.test('a process that does not measure a value of the database has no series of it', async (t) => {
  const { outboxOldest, webhookOldestDue, webhookParked, registry } = createMetrics();
  const names = ['vh_outbox_oldest_seconds', 'vh_webhook_oldest_due_seconds', 'vh_webhook_parked_endpoints'];
  for (const name of names) t.notMatch(await registry.metrics(), new RegExp(`^${name} `, 'm'));
  for (const gauge of [outboxOldest, webhookOldestDue, webhookParked]) gauge.set(0);
  for (const name of names) t.match(await registry.metrics(), new RegExp(`^${name} 0$`, 'm'));
});
