/**
 * The comparison of faces and devices, put together for a role that verifies.
 */
import { createMakeRef } from '../crypto/master-key.js';
import type { Pool } from '../pool/pool.js';
import { readFaceModels } from '../verification/uniqueness/face-models.js';
import { openUniqueness, type OpenUniqueness } from '../verification/uniqueness/open-uniqueness.js';
import type { Parts } from './parts.js';

/** How often the index of faces looks for what others changed. */
const intervalMs = 500;

/** Opens it; the index is filled behind, and the operator’s readiness says when it is there. */
export async function openFaces(parts: Parts, pool: Pool): Promise<OpenUniqueness> {
  const { settings, logger, metrics, stores, masterKeys, opened } = parts;
  const uniqueness = openUniqueness({
    database: stores.database,
    masterKeys: masterKeys.readable,
    makeRef: createMakeRef(masterKeys.first),
    pool,
    models: await readFaceModels(settings.VH_FACE_MODELS),
    threads: settings.VH_FACE_THREADS,
    intervalMs,
    metrics,
    logger,
  });
  opened.push(() => uniqueness.close());
  return uniqueness;
}
