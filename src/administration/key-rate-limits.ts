/**
 * The limits of a key, by lineage: a key and those that replace it share them, and so do scoring and every other call. Those of an OAuth
 * client hold over all projects of its organization, so that they are taken before a call looks at one.
 */
import type { KeyCaller } from '../kernel/caller.js';
import type { RateLimit } from '../stores/counters/port.js';

export function keyRateLimits({ lineage, limits }: Pick<KeyCaller, 'lineage' | 'limits'>): readonly RateLimit[] {
  return [
    { key: `${lineage}:minute`, limit: limits.perMinute, windowSeconds: 60 },
    { key: `${lineage}:day`, limit: limits.perDay, windowSeconds: 86_400 },
  ];
}

/** What scoring takes off a project’s limits as it counts; nothing for an OAuth client, whose call was taken off its own already. */
export const scoringRateLimits = (caller: KeyCaller): readonly RateLimit[] =>
  caller.client === true ? [] : keyRateLimits(caller);
