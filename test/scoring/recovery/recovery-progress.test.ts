import t from 'tap';
import { makeId } from '../../../src/crypto/ids.js';
import { createRecoveryProgress } from '../../../src/scoring/recovery/recovery-progress.js';
import { openRedisCounters } from '../../../src/stores/counters/redis/open.js';
import { findStack } from '../../helpers/stores.js';

const stack = findStack(t, 'the progress of counter recovery');
const weekMs = 7 * 86_400_000;

if (stack !== null) {
  t.test('a rebuild says since when sessions are counted again, until it is marked complete', async (t) => {
    const counters = await openRedisCounters({ url: stack.redisUrl, deadlineMs: 2_000 });
    t.teardown(() => counters.close());
    const namespace = makeId('project');
    const read = createRecoveryProgress({ counters, now: Date.now });
    t.match(await read(namespace), { state: 'unchecked', restoredSince: null, restoresSince: null });

    t.equal(await counters.claimRebuild(namespace, 'one', false), 'held');
    t.match(await read(namespace), { state: 'unchecked' }, 'no page is counted yet');
    const cursor = makeId('receipt');
    t.equal(await counters.noteRebuilt(namespace, 'one', cursor), true);
    const { generatedAt, state, restoredSince, restoresSince } = await read(namespace);
    t.equal(state, 'rebuilding');
    t.ok(Math.abs(Date.parse(restoredSince ?? '') - Date.parse(generatedAt)) < 60_000, 'as far as the cursor');
    t.equal(Date.parse(generatedAt) - Date.parse(restoresSince ?? ''), weekMs);

    t.equal(await counters.markComplete(namespace, 'one'), true);
    t.match(await read(namespace), { state: 'complete', restoredSince: null });
  });
}
