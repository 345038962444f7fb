/**
 * The limits of a key, by lineage: a key and those that replace it share them, and so do scoring and every other call.
 */
import type { KeyCaller } from '../http/access.js';
import type { RateLimit } from '../stores/counters/port.js';

export function keyRateLimits({ lineage, limits }: Pick<KeyCaller, 'lineage' | 'limits'>): readonly RateLimit[] {
  return [
    { key: `${lineage}:minute`, limit: limits.perMinute, windowSeconds: 60 },
    { key: `${lineage}:day`, limit: limits.perDay, windowSeconds: 86_400 },
  ];
}
