/** After a restore of an older database: what was accepted since the back-up comes from the log, and the counters take the older history. */
import t from 'tap';
import { entryOfOutcomes, tenantOfOutcomes, type OutcomeRow } from '../../../src/scoring/outcomes/outcome-rows.js';
import { startHistoryConsumer } from '../../../src/scoring/outcomes/history-consumer.js';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import { noteRestore } from '../../../src/stores/database/restores.js';
import { openTableLog } from '../../../src/stores/log/embedded/log.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { waitUntil } from '../../helpers/wait-until.js';
import { ref, scoreInput, expectCounted } from '../../stores/counters/inputs.js';

const namespace = 'proj_1';
const owner = { organizationId: 'org_1', projectId: namespace };
const hourMs = 3_600_000;
const row = (session: string, type: string, reasonClass: string | null = null): OutcomeRow => ({
  namespace,
  sessionRef: session,
  type,
  occurredAt: new Date('2026-01-02T00:00:00Z'),
  target: '',
  reasonClass,
  respondentRef: ref('respondent'),
  eventId: null,
});

t.test('outcomes accepted since the back-up are in the log, and an operator’s word brings them back', async (t) => {
  const database = await openTestDatabase(t);
  const log = openTableLog({ database, now: () => performance.now(), trimEveryMs: hourMs });
  t.teardown(() => log.close());
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 10_000 });
  t.teardown(() => counters.close());
  const nowMs = Date.now();
  const start = () => startHistoryConsumer({ database, counters, log, logger: createLogger('silent'), now: Date.now });
  const fraudKnown = async (): Promise<number | undefined> => {
    const history = { respondent: ref('respondent'), source: null, subSource: null };
    const input = scoreInput(namespace, `look ${Math.random()}`, { history });
    return expectCounted(await counters.countScore(input)).history.respondent?.fraud;
  };
  const outcomes = async (): Promise<number> =>
    (await database.query<{ n: number }>('SELECT count(*) AS n FROM outcomes'))[0]?.n ?? 0;
  /** The log read again from its start, as an operator resets a group. */
  const readAgain = async (): Promise<void> => {
    await database.query("DELETE FROM log_groups WHERE group_name = 'history'");
    const consumer = await start();
    await waitUntil(async () => (await log.progress('outcomes', 'history'))[0]?.next === 2, 'the log is read');
    await consumer.stop();
  };
  // Accepted before the back-up, and just before the restore; the database has neither.
  await log.append('outcomes', [
    entryOfOutcomes(owner, nowMs - 5 * hourMs, [row('before', 'ban', 'fraud')]),
    entryOfOutcomes(owner, nowMs - 1_000, [row('after', 'ban', 'fraud')]),
  ]);
  t.equal(tenantOfOutcomes(entryOfOutcomes(owner, nowMs, [])), 'org_1', 'dead letters are shared by organization');
  await counters.publishHistory(namespace, [
    { subject: ref('respondent'), version: 40, value: { n: 9, fraud: 9, clawbacks: 0, asOfDay: 20_000 } },
  ]);
  await readAgain();
  t.equal(await outcomes(), 0, 'without a word nothing is taken from there');
  await noteRestore(database, new Date(nowMs - 3 * hourMs));
  await readAgain();
  t.equal(await outcomes(), 1, 'what came after the back-up is back');
  t.equal(await fraudKnown(), 9, 'the counters keep the record that looks younger');
  t.equal(await noteRestore(database, new Date(nowMs - 3 * hourMs)), 1);
  const consumer = await start();
  await waitUntil(async () => (await fraudKnown()) !== 9, 'the counters take what the database says');
  await consumer.stop();
});
