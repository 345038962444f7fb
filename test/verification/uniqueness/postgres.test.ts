import t from 'tap';
import { openPostgres } from '../../../src/stores/database/postgres/open.js';
import { createDatabase, findStack } from '../../helpers/stores.js';
import { createWorld, openInstance, openPool, participate, startMs } from './contract.js';
import { testFaceReuse } from './contract-face-reuse.js';
import { testFaces } from './contract-faces.js';
import { testScopes } from './contract-scopes.js';

t.setTimeout(120_000);
const stack = findStack(t, 'uniqueness on PostgreSQL');

if (stack !== null) {
  t.test('uniqueness on PostgreSQL', async (t) => {
    const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 8, deadlineMs: 20_000 });
    t.teardown(() => database.close());
    const pool = await openPool(t);
    testFaces(t, () => ({ database, pool }));
    testFaceReuse(t, () => ({ database, pool }));
    testScopes(t, () => ({ database, pool }));

    t.test('a face that a long transaction keeps in sight of the index is counted once', async (t) => {
      const world = await createWorld({ database });
      const one = openInstance(t, { database, pool });
      await database.transaction(async (tx) => {
        await tx.query('SELECT pg_current_xact_id()');
        await one.uniqueness.poll();
        await participate(one, world, world.session(), world.capture(world.person()));
        await one.uniqueness.poll();
        const stranger = await one.uniqueness.compare(world.session(), world.capture(world.person()), startMs);
        t.equal(stranger.biometric?.gallerySize, 1);
      });
    });
  });
}
