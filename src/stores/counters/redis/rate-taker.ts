/**
 * Takes calls off limits. Calls of one turn of the event loop under the same limits are one run of the script; each gets the answer that
 * it would have had alone.
 */
import type { RateState } from '../../../contract/rate.js';
import type { RateLimit } from '../port.js';
import { judgeRates, rateKeyOf } from '../bounds.js';
import { tagOf } from '../counting/keys.js';
import type { RedisConnection } from './connection.js';
import type { Scripts } from './scripts.js';

interface Together {
  calls: number;
  /** How much of each limit was used before the first of them. */
  readonly used: Promise<readonly number[]>;
}

/** Without a deadline. */
export type TakeRate = (tag: string, atMs: number, limits: readonly RateLimit[]) => Promise<RateState>;

export function createRateTaker(
  connection: Pick<RedisConnection, 'runAtTurnEnd'>,
  { takeRate }: Pick<Scripts, 'takeRate'>,
): TakeRate {
  const gathering = new Map<string, Together>();

  function gather(name: string, tag: string, atMs: number, limits: readonly RateLimit[]): Together {
    const together: Together = {
      calls: 0,
      used: connection
        .runAtTurnEnd(takeRate, tagOf(tag), () => {
          gathering.delete(name);
          const each = limits.flatMap((limit) => [rateKeyOf(limit, atMs), limit.limit, limit.windowSeconds * 1_000]);
          return [together.calls, ...each];
        })
        .then(decodeUsed),
    };
    gathering.set(name, together);
    // If the call was refused before the end of the turn, no call joins it any more.
    const forget = (): void => void (gathering.get(name) === together && gathering.delete(name));
    together.used.then(forget, forget);
    return together;
  }

  return async (tag, atMs, limits) => {
    if (limits.length === 0) return judgeRates(limits, [], atMs);
    let name = tag;
    for (const limit of limits) name += `\n${rateKeyOf(limit, atMs)} ${limit.limit}`;
    const together = gathering.get(name) ?? gather(name, tag, atMs, limits);
    const before = together.calls;
    together.calls += 1;
    const used = await together.used;
    let taken = before;
    for (let i = 0; i < limits.length; i += 1)
      taken = Math.min(taken, Math.max(0, (limits[i]?.limit ?? 0) - (used[i] ?? 0)));
    return judgeRates(limits, taken === 0 ? used : used.map((count) => count + taken), atMs);
  };
}

/** How much of each limit had been used. */
const decodeUsed = (used: unknown): number[] =>
  Buffer.isBuffer(used) ? used.toString('latin1').split(' ').map(Number) : [];
