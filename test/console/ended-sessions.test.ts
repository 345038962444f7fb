import t from 'tap';
import { createEndedSessions } from '../../src/console/ended-sessions.js';
import { storeUnavailable } from '../../src/errors.js';
import { openTestDatabase } from '../helpers/embedded.js';

const database = await openTestDatabase(t);
const countRows = async (): Promise<number> =>
  (await database.query('SELECT 1 AS row FROM ended_console_sessions')).length;

t.test('while the database is away a session counts as open, and cannot be ended', async (t) => {
  const away = { ...database, query: () => Promise.reject(storeUnavailable('database')) };
  const ended = createEndedSessions({ database: away, now: () => 0 });
  t.equal(await ended.has({ id: 'any' }), false);
  await t.rejects(ended.add({ id: 'any', expiresAtMs: 1 }), { code: 'STORE_UNAVAILABLE' });
});

t.test('what ended at one instance has ended at another, and is forgotten once it would have expired', async (t) => {
  let nowMs = 0;
  const [one, other] = [0, 1].map(() => createEndedSessions({ database, now: () => nowMs })) as [
    ReturnType<typeof createEndedSessions>,
    ReturnType<typeof createEndedSessions>,
  ];
  await one.add({ id: 'first', expiresAtMs: 1_000 });
  await other.add({ id: 'first', expiresAtMs: 1_000 });
  t.same([await other.has({ id: 'first' }), await other.has({ id: 'second' })], [true, false]);
  nowMs = 1_001;
  await one.add({ id: 'second', expiresAtMs: 2_000 });
  t.equal(await countRows(), 1);
});
