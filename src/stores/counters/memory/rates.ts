/**
 * Fixed-window rate limits. A call takes one off every limit or, when one is used up, none off any.
 */
import { judgeRates, rateKeyOf, windowOf } from '../bounds.js';
import type { RateState } from '../../../contract/rate.js';
import type { RateLimit } from '../port.js';
import type { Keyspace } from './keyspace.js';

export function createRates(
  keyspace: Keyspace,
): (tag: string, nowMs: number, limits: readonly RateLimit[]) => RateState {
  const table = keyspace.table<number>('rates');
  return (tag, nowMs, limits) => {
    const keys = limits.map((limit) => `${tag}:${rateKeyOf(limit, nowMs)}`);
    const used = keys.map((key) => table.get(key, nowMs) ?? 0);
    const state = judgeRates(limits, used, nowMs);
    if (state.allowed) {
      for (const [i, limit] of limits.entries()) {
        const endMs = (windowOf(limit, nowMs) + 1) * limit.windowSeconds * 1_000;
        table.set(keys[i] ?? '', (used[i] ?? 0) + 1, nowMs, endMs - nowMs);
      }
    }
    return state;
  };
}
