/**
 * The worker pool that scoring and verification share.
 */
import { createPool, type Pool } from '../pool/pool.js';
import type { Parts } from './parts.js';

const poolDeadlineMs = 2_000;

/** Opens the pool; every thread of it has loaded when this resolves. */
export async function openPool({ settings, metrics, opened }: Parts): Promise<Pool> {
  const pool = createPool({
    entry: new URL('../../workers/main.js', import.meta.url),
    threads: settings.VH_POOL_THREADS,
    queueMax: settings.VH_POOL_QUEUE,
    deadlineMs: poolDeadlineMs,
    metrics,
  });
  opened.push(() => pool.close());
  await pool.warm();
  return pool;
}
