/** Sessions that are counted again, and a project for which that is not needed. */
import t from 'tap';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import type { CountedSession } from '../../../src/stores/counters/port.js';
import { countsOf, hourMs, ref, scoreInput, startMs } from './inputs.js';

const source = ref('source');

/** Three sessions in each of the hours before, the oldest first. */
const ofHours = (hours: number): CountedSession[] =>
  Array.from({ length: hours * 3 }, (_, i) => {
    const nowMs = startMs - (hours - Math.floor(i / 3)) * hourMs + (i % 3);
    const input = scoreInput('p', `s${i}`, { source, nowMs });
    return { ...input, token: null, sketch: null, bands: [] };
  });

for (const order of ['oldest', 'newest'])
  t.test(`restored ${order} first, a source has the baseline that its hours had`, async (t) => {
    const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 100_000, now: () => startMs });
    const sessions = ofHours(160);
    if (order === 'newest') sessions.reverse();
    await counters.restoreSessions('p', sessions);
    t.match((await countsOf(counters, scoreInput('p', 'now', { source }))).source, {
      mean: 3,
      variance: 0,
      hours: 160,
    });
  });

t.test('a project that nobody scored for days is as complete as it was, in the same process', async (t) => {
  let clockMs = startMs;
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 1_000, now: () => clockMs });
  await counters.markComplete('p');
  clockMs += 72 * hourMs;
  t.equal((await counters.checkComplete('p')).isComplete, true);
  t.match(await counters.countScore(scoreInput('p', 's', { nowMs: clockMs })), { complete: true });
  t.equal((await counters.checkComplete('other')).isComplete, false);
});
