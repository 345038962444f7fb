import t from 'tap';
import { watchFreshness } from '../../../src/stores/log/freshness.js';
import { openTableLog } from '../../../src/stores/log/embedded/log.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import { waitUntil } from '../../helpers/wait-until.js';
import { entry, gather } from './contract.js';

const database = await openTestDatabase(t);

t.test('a feed is complete up to what its group has read, and that time stands while something waits', async (t) => {
  let [nowMs, isSpooling] = [1_000, false];
  const log = openTableLog({ database, now: () => performance.now(), pollMs: 50, trimEveryMs: 3_600_000 });
  t.teardown(() => log.close());
  const freshness = watchFreshness({ log, holdsReceipts: () => isSpooling, now: () => nowMs, everyMs: 10 });
  t.teardown(() => freshness.stop());
  const { completeUntilMs } = freshness;
  await waitUntil(() => completeUntilMs('scores') === 1_000, 'nothing waits, so all is complete');

  await log.append('scores', [entry('a', '1')]);
  nowMs = 2_000;
  await waitUntil(() => completeUntilMs('verifications') === 2_000, 'another feed goes on');
  t.equal(completeUntilMs('scores'), 1_000);

  nowMs = 3_000;
  const receipts = await gather(log, 'scores', 'receipts');
  await waitUntil(() => completeUntilMs('scores') === 3_000, 'what waited is read');

  isSpooling = true;
  nowMs = 4_000;
  await waitUntil(() => completeUntilMs('outcomes') === 4_000, 'only receipts are spooled');
  t.equal(completeUntilMs('scores'), 3_000);
  isSpooling = false;
  await waitUntil(() => completeUntilMs('scores') === 4_000, 'the spool is empty again');
  await receipts.consumer.stop();
});

t.test('under traffic that never pauses a feed is complete up to the last time that was reached', async (t) => {
  let [nowMs, end, next] = [0, 10, 5];
  const freshness = watchFreshness({
    log: { progress: (topic) => Promise.resolve(topic === 'scores' ? [{ partition: 0, start: 0, next, end }] : []) },
    holdsReceipts: () => false,
    now: () => nowMs,
    everyMs: 5,
  });
  t.teardown(() => freshness.stop());
  t.equal(freshness.completeUntilMs('scores'), null, 'nothing is known at first');
  await waitUntil(() => freshness.completeUntilMs('outcomes') === 0, 'the first look is over');
  t.equal(freshness.completeUntilMs('scores'), null, 'what waits may be of any age');
  [nowMs, end, next] = [60_000, 20, 12];
  await waitUntil(() => freshness.completeUntilMs('scores') === 0, 'the end of the first look is read');
  [nowMs, end, next] = [120_000, 30, 22];
  await waitUntil(() => freshness.completeUntilMs('scores') === 60_000, 'the end of the second look is read');
});
