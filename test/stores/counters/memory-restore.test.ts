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
