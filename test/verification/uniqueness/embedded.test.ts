import { join } from 'node:path';
import t from 'tap';
import { openEmbeddedDatabase } from '../../../src/stores/database/embedded/open.js';
import { migrate } from '../../../src/stores/database/migrate.js';
import type { Database } from '../../../src/stores/database/port.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { openPool } from './contract.js';
import { testFaceReuse } from './contract-face-reuse.js';
import { testFaces } from './contract-faces.js';
import { testScopes } from './contract-scopes.js';

t.setTimeout(120_000);
t.test('uniqueness on the embedded database', async (t) => {
  const directory = join(temporaryDirectory(t), 'database');
  const database: Database = await openEmbeddedDatabase({ directory, logger: createLogger('silent') });
  t.teardown(() => database.close());
  await migrate(database);
  const pool = await openPool(t);
  testFaces(t, () => ({ database, pool }));
  testFaceReuse(t, () => ({ database, pool }));
  testScopes(t, () => ({ database, pool }));
});
