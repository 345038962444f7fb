/** Analytics over days that a moved clock makes: each field of the answer, each length of a bucket, and the range that was asked for. */
import { Value } from 'typebox/value';
import t from 'tap';
import { Analytics } from '../../src/contract/analytics.js';
import { startTestService } from '../helpers/service.js';
import { automated, createSession, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const dayMs = 86_400_000;
/** How far the service’s clock is ahead. */
let aheadMs = 0;
/** The clock stands but for that, so that no day or hour ends meanwhile. */
const startedAtMs = Math.floor(Date.now() / 3_600_000) * 3_600_000;
const service = await startTestService(t, {}, { now: () => startedAtMs + aheadMs });
const dayOf = (days: number): string => new Date(startedAtMs + days * dayMs).toISOString().slice(0, 10);
const ask = async (query: string): Promise<Analytics> => {
  const { status, body } = await service.call('GET', `/projects/${service.bootstrap.projectId}/analytics?${query}`);
  t.equal(status, 200, JSON.stringify(body));
  t.ok(Value.Check(Analytics, body), JSON.stringify(Value.Errors(Analytics, body)[0]));
  return body;
};
const take = async (over: object = {}): Promise<void> => {
  const session = await createSession(service);
  aheadMs += 2_000;
  t.equal((await verify(service, session, { ...over })).status, 200);
};

t.test('every figure is that of the verifications in the range, by the bucket that was asked for', async (t) => {
  const start = dayOf(0);
  await take();
  await take(automated);
  aheadMs = 40 * dayMs;
  await take();
  const whole = `fromDate=${start}&toDate=${dayOf(40)}`;
  await waitUntil(async () => (await ask(whole)).totalVerifications === 3, 'all are counted');
  t.match(await ask(`period=day&${whole}`), {
    period: 'day',
    fromDate: start,
    totalVerifications: 3,
    passedCount: 2,
    failedCount: 1,
    passRate: 2 / 3,
    avgLivenessScore: null,
    avgUniquenessScore: null,
    failureReasons: [{ reason: String, count: 1 }],
    devices: [{ device: 'desktop', count: 3, share: 1 }],
    browsers: [{ browser: String, count: 3, share: 1 }],
  });
  t.ok(((await ask(whole)).avgDurationMs ?? 0) >= 2_000, 'from creation to verdict');
  const first = await ask(`fromDate=${start}&toDate=${start}`);
  t.match(first, { totalVerifications: 2, passedCount: 1, failedCount: 1, passRate: 0.5 }, 'the range is kept to');
  t.match(await ask(`fromDate=${dayOf(1)}&toDate=${dayOf(39)}`), { totalVerifications: 0, passRate: null });
  for (const [period, from, buckets] of [
    ['hour', start, 24],
    ['day', start, 1],
    ['week', start, 1],
    ['month', start, 1],
  ] as const) {
    const { timeSeries, ...rest } = await ask(`period=${period}&fromDate=${from}&toDate=${from}`);
    t.match(rest, { period, totalVerifications: 2 });
    t.equal(timeSeries.length, buckets, period);
    t.same(
      timeSeries.filter(({ total }) => total > 0).map(({ total, passed, failed }) => [total, passed, failed]),
      [[2, 1, 1]],
      period,
    );
  }
  t.equal((await ask(`period=day&${whole}`)).timeSeries.length, 41);
});

t.test('a failure for want of a camera check has a reason of its own', async (t) => {
  aheadMs = 60 * dayMs;
  const { status } = await service.call('PATCH', `/projects/${service.bootstrap.projectId}`, {
    body: { config: { minimumAssurance: 'biometric' } },
    headers: { 'x-api-key': service.bootstrap.organizationKey },
  });
  t.equal(status, 200);
  await take();
  const day = `fromDate=${dayOf(60)}&toDate=${dayOf(60)}`;
  await waitUntil(async () => (await ask(day)).totalVerifications === 1, 'it is counted');
  t.same((await ask(day)).failureReasons, [{ reason: 'camera_check_missing', count: 1, share: 1 }]);
});
