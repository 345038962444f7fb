/**
 * Shares the connections among organizations (see fair-limiter.ts), and has nobody hold one while it waits for a lock:
 *
 *   transaction ──in line, where it names one: calls of this process that want the same lock──▶ a share ──▶ a connection
 *        ▲                                                                                                    │
 *        └────────a pause without a connection◀── the server waits briefly for a lock and then gives up ◀─────┘
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createFairLimiter, type ShareObserver } from '../../fair-limiter.js';
import type { Database } from './port.js';
import { isLockTimeout } from './transaction.js';

export interface ShareOptions {
  /** The size of the pool; the embedded database has one connection. */
  readonly connections: number;
  readonly observer?: ShareObserver;
  readonly waitMsMax?: number;
}

/** Longest wait for a share, for a turn in line and for locks, each. */
const waitMsDefault = 5_000;
const pauseMs = 20;
/** While others use the pool too, one organization has this part of its connections: they share the processors behind it. */
const contendedParts = 5;
const contendedMin = 2;

/** Shares transactions that name a tenant; statements and others go through as they are. */
export function shared(
  database: Database,
  { connections, observer, waitMsMax = waitMsDefault }: ShareOptions,
): Database {
  const limits = { waitMsMax, ...(observer === undefined ? {} : { observer }) };
  const eachContended = Math.max(contendedMin, Math.floor(connections / contendedParts));
  const shares = createFairLimiter({ operation: 'database', places: connections, eachContended, ...limits });
  const lines = createFairLimiter({ operation: 'lock', places: Infinity, each: 1, waitMsMax });

  const transaction: Database['transaction'] = async (body, options = {}) => {
    const { tenant, line } = options;
    if (tenant === undefined) return database.transaction(body, options);
    const attempt = () => shares.run(tenant, () => database.transaction(body, options));
    const unlocked = () => retryLocked(attempt, waitMsMax);
    return line === undefined ? unlocked() : lines.run(line, unlocked);
  };
  return { ...database, transaction };
}

/** Repeats what a lock of others held up, until the patience ends; rejects with StoreUnavailable then. */
async function retryLocked<T>(attempt: () => Promise<T>, patienceMs: number): Promise<T> {
  const giveUpAtMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > giveUpAtMs) throw error;
      await pause(pauseMs * (1 + Math.random()));
    }
  }
}
