/**
 * Invented traffic of the demo project, put together. It runs the pure core on the thread that asks: an operator asks once.
 */
import { findKeyByHash, hashSecret } from '../administration/api-keys.js';
import { findProject } from '../administration/project-store.js';
import { createBatchSigner } from '../crypto/batch-signer.js';
import { createMakeRef, deriveSigningKey } from '../crypto/master-key.js';
import { Fault } from '../errors.js';
import { readBootstrap } from '../projects/operator/bootstrap.js';
import type { InventTraffic } from '../projects/operator/operator.js';
import { inventTraffic } from '../scoring/demo-traffic/demo-traffic.js';
import { createOutcomeService } from '../scoring/outcomes/outcome-service.js';
import { modelVersion } from '../../workers/scoring/rule-set.js';
import { recordVerdict, scoreFacts } from '../../workers/scoring/score.js';
import { createRandom } from '../../workers/seeded-random.js';
import type { Parts } from './parts.js';

export function wireDemoTraffic({ settings, stores, masterKeys, metrics, logger, now }: Parts): InventTraffic {
  const { database, log } = stores;
  const makeRef = createMakeRef(masterKeys.first);
  const findProjectOwner = async (projectId: string): Promise<string | null> =>
    (await findProject(database, projectId))?.organizationId ?? null;
  const outcomes = createOutcomeService({
    database,
    counters: stores.counters,
    log,
    makeRef,
    metrics,
    logger,
    now,
    findProjectOwner,
  });
  return async () => {
    const bootstrap = readBootstrap(settings.VH_DATA_DIR);
    const key =
      bootstrap === null ? null : await findKeyByHash(database, hashSecret(bootstrap.projectKey).toString('hex'));
    const project = key?.projectId == null ? null : await findProject(database, key.projectId);
    if (key === null || project === null)
      throw new Fault('NOT_FOUND', 'There is no demo project here: invented traffic goes into no other.');
    const signer = createBatchSigner(deriveSigningKey(masterKeys.current, 'receipts'));
    const { organizationId, projectId } = project;
    const invented = await inventTraffic(
      {
        log,
        makeRef,
        signer,
        modelVersion,
        score: (facts) => recordVerdict(scoreFacts(facts), facts),
        postOutcomes: (events) => outcomes.accept(key, events),
        createRandom,
      },
      { organizationId, projectId, lineage: key.lineage, liteConfig: project.fields.config?.liteConfig },
      project.createdAt.getTime(),
    );
    return { organizationId, projectId, ...invented };
  };
}
