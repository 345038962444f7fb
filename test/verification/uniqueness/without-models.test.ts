/**
 * Without a face model there is no index of faces: nothing reads the database, and nothing waits.
 */
import t from 'tap';
import { createMakeRef } from '../../../src/crypto/master-key.js';
import type { Database } from '../../../src/stores/database/port.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createFaceModels, type FaceModels } from '../../../src/verification/uniqueness/face-models.js';
import { openUniqueness } from '../../../src/verification/uniqueness/open-uniqueness.js';
import { testModel } from '../../helpers/faces.js';

const masterKey = new Uint8Array(32).fill(7);

/** Opens it on a database that is away, and tells how often it was asked for. */
function openWith(models: FaceModels) {
  const asked = { times: 0 };
  const database = new Proxy({} as Database, {
    get: () => () => {
      asked.times += 1;
      return Promise.reject(new Error('the database is away'));
    },
  });
  const metrics = createMetrics();
  const uniqueness = openUniqueness({
    database,
    masterKeys: masterKey,
    makeRef: createMakeRef(masterKey),
    pool: { run: () => Promise.reject(new Error('no pool')) },
    models,
    threads: 1,
    intervalMs: 3_600_000,
    metrics,
    logger: createLogger('silent'),
  });
  const ready = async () => {
    uniqueness.refresh();
    return (await metrics.faceIndexReady.get()).values[0]?.value;
  };
  return { uniqueness, asked, ready };
}

t.test('without a model nothing is read, and the part is ready at once', async (t) => {
  const { uniqueness, asked, ready } = openWith(createFaceModels([]));
  await uniqueness.poll();
  await uniqueness.check();
  t.equal(await ready(), 1);
  await uniqueness.close();
  t.equal(asked.times, 0);
});

t.test('with a model the index is read, and is not ready before that', async (t) => {
  const { uniqueness, asked, ready } = openWith(createFaceModels([testModel]));
  await t.rejects(uniqueness.poll());
  await t.rejects(uniqueness.check(), { message: 'the index of faces is being filled' });
  t.equal(await ready(), 0);
  await uniqueness.close();
  t.ok(asked.times > 0);
});
