/**
 * Puts the comparison of faces and devices together: store, index, its feed, search threads. It answers at once and fills the index behind; until
 * that is done `check` rejects, and comparisons of faces are refused.
 */
import { randomBytes } from 'node:crypto';
import { makeId } from '../../crypto/ids.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { SealingKeys } from '../../crypto/sealing.js';
import type { Pool } from '../../pool/pool.js';
import type { Database } from '../../stores/database/port.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { createDeviceComparer } from './device-comparison.js';
import { createFaceIndex, type FaceIndex } from './face-index.js';
import type { FaceModels } from './face-models.js';
import { createFaceReuse } from './face-reuse.js';
import { createFingerprintStore } from './fingerprint-store.js';
import { idleFeed, openIndexFeed } from './index-feed.js';
import { createFairLimiter } from '../../fair-limiter.js';
import { createSearcher } from './scan/searcher.js';
import { createUniqueness, type Uniqueness } from './uniqueness.js';

export interface OpenUniquenessOptions {
  readonly database: Database;
  readonly masterKeys: SealingKeys;
  readonly makeRef: MakeRef;
  readonly pool: Pick<Pool, 'run'>;
  readonly models: FaceModels;
  /** Search threads, 1 to 8. */
  readonly threads: number;
  /** How often an index looks for what others changed. */
  readonly intervalMs: number;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

export interface OpenUniqueness extends Uniqueness {
  /** Rejects while the index is being filled, with a sentence for the operator. */
  check(): Promise<void>;
  /** Reads what has changed up to now. */
  poll(): Promise<void>;
  /** Writes the gauges of the index. */
  refresh(): void;
  close(): Promise<void>;
}

const searchesMax = 256;
const searchDeadlineMs = 2_000;
/** At once; half of them keep the threads busy for an organization that is alone. */
const searchesPerThread = 4;

export function openUniqueness(options: OpenUniquenessOptions): OpenUniqueness {
  const { database, masterKeys, makeRef, pool, models, threads, intervalMs, metrics, logger } = options;
  let faces: FaceIndex | null = null;
  const store = createFingerprintStore({
    database,
    masterKeys,
    onUnreadable: (fingerprintId) => {
      metrics.embeddingsUnreadable.inc();
      logger.error(
        { fingerprintId },
        'a stored embedding cannot be decrypted: it was changed, moved or sealed with another key',
      );
    },
  });
  const searcher = createSearcher({ threads, searchesMax, deadlineMs: searchDeadlineMs, logger });
  /** Erasures reach the new index only: nothing may hold the one that it replaces. */
  const replace = (index: FaceIndex): void => {
    for (const gallery of faces?.galleries() ?? []) searcher.closeGallery(gallery);
    faces = index;
  };
  const feed =
    models.size === 0
      ? idleFeed
      : openIndexFeed({
          store,
          createIndex: () => createFaceIndex({ models, randomBytes }),
          onFilled: replace,
          logger,
          intervalMs,
          now: () => performance.now(),
        });
  const turns = createFairLimiter({
    ...{ operation: 'face_search', places: threads * searchesPerThread, waitMsMax: searchDeadlineMs },
    observer: metrics.noteShare,
  });
  const uniqueness = createUniqueness({
    database,
    store,
    models,
    devices: createDeviceComparer(pool, makeRef),
    faceReuse: createFaceReuse({ store, makeRef }),
    searcher,
    turns,
    index: () => {
      const horizon = feed.horizon();
      return faces === null || horizon === null ? null : { faces, horizon };
    },
    makeFingerprintId: () => makeId('fingerprint'),
    metrics,
  });
  return {
    ...uniqueness,
    async check() {
      if (feed.horizon() === null) throw new Error('the index of faces is being filled');
    },
    poll: feed.poll,
    refresh() {
      metrics.faceIndexReady.set(feed.horizon() === null ? 0 : 1);
      metrics.faceIndexSize.set(faces?.size() ?? 0);
      metrics.faceIndexBytes.set(faces?.bytes() ?? 0);
      metrics.faceIndexAge.set(feed.ageMs() / 1_000);
    },
    async close() {
      await feed.close();
      await searcher.close();
    },
  };
}
