/** Promises of the comparison on either database; embedded.test.ts and postgres.test.ts run it against theirs. */
import type { Test } from 'tap';
import { insertOrganization } from '../../../src/administration/organization-store.js';
import { insertProject } from '../../../src/administration/project-store.js';
import type { Envelope } from '../../../src/contract/envelope.js';
import type { Deduplication } from '../../../src/contract/project-parts.js';
import type { BiometricComparison } from '../../../src/contract/uniqueness.js';
import { createMakeRef } from '../../../src/crypto/master-key.js';
import { createPool, type Pool } from '../../../src/pool/pool.js';
import type { Database } from '../../../src/stores/database/port.js';
import { inOrganization } from '../../../src/stores/database/tenant.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createFaceModels, type FaceModels } from '../../../src/verification/uniqueness/face-models.js';
import { openUniqueness, type OpenUniqueness } from '../../../src/verification/uniqueness/open-uniqueness.js';
import type { ComparedSession } from '../../../src/verification/uniqueness/uniqueness.js';
import { directionNear, embeddingOf, envelopeOf, randomDirection, testModel } from '../../helpers/faces.js';
import { createRandom } from '../../../workers/seeded-random.js';

export const dayMs = 86_400_000;
export const startMs = Date.UTC(2026, 0, 10, 12);
const masterKey = new Uint8Array(32).fill(7);
const tableOfTwo = createFaceModels([testModel, { ...testModel, model: 'other-face' }]);

/** State that the instances of one test file share. */
export interface Shared {
  readonly database: Database;
  readonly pool: Pool;
}

/** A pool whose threads have loaded: one that is closed while they do takes the process with it. */
export async function openPool(t: Test): Promise<Pool> {
  const entry = new URL('../../../workers/main.js', import.meta.url);
  const pool = createPool({ entry, threads: 1, queueMax: 64, deadlineMs: 20_000, metrics: createMetrics() });
  t.teardown(() => pool.close());
  await pool.warm();
  return pool;
}

/** An instance of the service’s part, and what a test looks at. */
export function openInstance(t: Test, { database, pool }: Shared, models: FaceModels = tableOfTwo) {
  const metrics = createMetrics();
  const logs: string[] = [];
  const uniqueness = openUniqueness({
    database,
    masterKeys: masterKey,
    makeRef: createMakeRef(masterKey),
    pool,
    models,
    threads: 1,
    // Tests poll by themselves, so that what they see does not hang on time.
    intervalMs: 3_600_000,
    metrics,
    logger: createLogger('warn', { write: (line) => void logs.push(line) }),
  });
  t.teardown(() => uniqueness.close());
  return { uniqueness, metrics, logs };
}

export interface World {
  readonly database: Database;
  readonly organizationId: string;
  readonly projectId: string;
  addProject(deduplication?: Deduplication): Promise<string>;
  session(given?: Partial<ComparedSession>): ComparedSession;
  person(): Float32Array;
  /** A capture of a person, so alike to them. */
  capture(of: Float32Array, likeness?: number): Envelope;
}

export async function createWorld({ database }: Pick<Shared, 'database'>): Promise<World> {
  const organizationId = await database.transaction((tx) =>
    insertOrganization(tx, { name: 'Faces', tier: 'free', liteEnabled: false }),
  );
  const addProject = async (deduplication?: Deduplication): Promise<string> => {
    const config = deduplication === undefined ? {} : { config: { deduplication } };
    const project = await database.transaction((tx) => insertProject(tx, organizationId, { name: 'P', ...config }));
    if (project === null) throw new Error('no project');
    return project.projectId;
  };
  const projectId = await addProject();
  const random = createRandom(41);
  let sessions = 0;
  return {
    ...{ database, organizationId, projectId, addProject },
    session(given = {}) {
      sessions += 1;
      const sessionId = `${organizationId}-${sessions}`;
      return {
        ...{ organizationId, projectId, sessionId, rootSessionId: sessionId, respondentId: `r-${sessionId}` },
        ...{ respondentTrusted: false, studyId: null, evidence: 'claimed' },
        country: null,
        stepUp: null,
        ...{ dataCollector: null, mode: 'live', widgetMode: 'standard', escalateOnSuspicion: false },
        deduplication: { scope: 'project', perDataCollector: false, reEligibilityDays: null },
        ...given,
      };
    },
    person: () => randomDirection(random),
    capture: (of, likeness = 0.9) => envelopeOf({ embedding: embeddingOf(directionNear(of, likeness, random)) }),
  };
}

/** Compares and completes, as the verification of an envelope does; answers what the comparison said. */
export async function participate(
  { uniqueness }: { readonly uniqueness: OpenUniqueness },
  { database, organizationId }: World,
  session: ComparedSession,
  envelope: Envelope,
  { atMs = startMs, status = 'pass' }: { atMs?: number; status?: 'pass' | 'fail' | 'review' } = {},
) {
  const facts = await uniqueness.compare(session, envelope, atMs);
  await inOrganization(database, organizationId, (tx) =>
    uniqueness.record(tx, session, envelope, { completedAt: new Date(atMs), status, evidence: session.evidence }),
  );
  return facts;
}

export const isSame = (biometric: BiometricComparison | null): boolean =>
  biometric?.match != null && biometric.match.similarity >= biometric.threshold;
