/** An event that the database itself refuses: it is rejected, and costs none of the others. */
import t from 'tap';
import type { OutcomeReply } from '../../src/contract/outcome.js';
import { migrate } from '../../src/stores/database/migrate.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { withDatabase } from '../helpers/organizations.js';
import { startTestService } from '../helpers/service.js';

const VH_DATA_DIR = temporaryDirectory(t);
await withDatabase(VH_DATA_DIR, async (database) => {
  await migrate(database);
  await database.query("ALTER TABLE outcomes ADD CHECK (type <> 'speeder' AND event_id IS DISTINCT FROM 'refused')");
});
const service = await startTestService(t, { VH_DATA_DIR });
const occurredAt = '2026-06-01T12:00:00Z';
const post = async (events: readonly object[]): Promise<{ status: number; body: OutcomeReply }> =>
  service.call('POST', '/lite/events', { body: { events } });

t.test('storage errors are rejected, apart from duplicates, and named by their pointer', async (t) => {
  const events = Array.from({ length: 20 }, (_, n) => ({ sessionId: `s-${n}`, type: 'complete', occurredAt }));
  const speeder = { sessionId: 's-0', type: 'speeder', occurredAt };
  const { status, body } = await post([
    ...events.slice(0, 7),
    speeder,
    ...events.slice(7),
    events[0]!,
    { ...speeder, type: 'x' },
  ]);
  t.equal(status, 200);
  t.match(body, { received: 23, accepted: 20, duplicates: 1, rejected: 2, sessions: 20 });
  t.match(body.issues, [{ path: '/events/22/type' }, { path: '/events/7', message: /could not be stored/ }]);
  t.match((await post([...events, speeder])).body, { received: 21, accepted: 0, duplicates: 20, rejected: 1 });
  t.match((await post([speeder])).body, { received: 1, accepted: 0, duplicates: 0, rejected: 1 }, 'also alone');
  const named = events.slice(0, 2).map((event, n) => ({ ...event, type: 'dq', eventId: n === 0 ? 'refused' : 'kept' }));
  t.match((await post(named)).body, { accepted: 1, rejected: 1 });
  t.ok(service.log.some((line) => line.includes('refused an outcome event')));
});
