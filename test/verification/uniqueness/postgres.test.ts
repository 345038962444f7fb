import t from 'tap';
import { openPostgres } from '../../../src/stores/database/postgres.js';
import { createDatabase, findStack } from '../../helpers/stores.js';
import { openPool } from './contract.js';
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
    testScopes(t, () => ({ database, pool }));
  });
}
