import t from 'tap';
import { createEndedSessions } from '../../src/console/ended-sessions.js';
import { storeUnavailable } from '../../src/errors.js';
import { openTestDatabase } from '../helpers/embedded.js';

const database = await openTestDatabase(t);
const countRows = async (): Promise<number> =>
  (await database.query('SELECT 1 AS row FROM ended_console_sessions')).length;

t.test('while the database is away a session counts as open, and cannot be ended', async (t) => {
  const away = { ...database, query: () => Promise.reject(storeUnavailable('database')) };
  const ended = createEndedSessions({ database: away });
  t.equal(await ended.has({ id: 'any' }), false);
  await t.rejects(ended.add({ id: 'any', expiresAtMs: 1 }), { code: 'STORE_UNAVAILABLE' });
});

t.test('what ended at one instance has ended at another, and is forgotten a day after it expired', async (t) => {
  const [one, other] = [createEndedSessions({ database }), createEndedSessions({ database })];
  const dayMs = 86_400_000;
  await one.add({ id: 'first', expiresAtMs: Date.now() + dayMs });
  await other.add({ id: 'first', expiresAtMs: Date.now() + dayMs });
  t.same([await other.has({ id: 'first' }), await other.has({ id: 'second' })], [true, false]);
  await one.add({ id: 'second', expiresAtMs: Date.now() - dayMs / 2 });
  await one.add({ id: 'third', expiresAtMs: Date.now() - 2 * dayMs });
  t.equal(await countRows(), 3);
  await other.add({ id: 'first', expiresAtMs: Date.now() + dayMs });
  t.equal(await countRows(), 2);
  t.ok(await one.has({ id: 'second' }), 'an instance whose clock is late may still take it');
});
