/** How organizations use what they share: metrics by operation, and the heaviest organizations of the last minutes, which no label could bound. */
import { LRUCache } from 'lru-cache';
import type { ShareUse } from '../fair-limiter.js';
import type { Makers } from './dashboard-metrics.js';

const windowMs = 300_000;
/** Pairs of operation and organization that are remembered. */
const pairsMax = 2_000;
const topMax = 10;

interface Sums {
  calls: number;
  refused: number;
  heldMs: number;
  waitedMs: number;
}

export interface TopOrganization {
  readonly organizationId: string;
  readonly calls: number;
  readonly refused: number;
  readonly heldSeconds: number;
  readonly waitedSeconds: number;
}

export function shareMetrics({ histogram, counter }: Makers, clock = () => performance.now()) {
  const held = histogram(
    'vh_share_held_seconds',
    'Time that calls held a shared concurrency slot, by operation: database, export, recount, simulate and so on.',
    ['operation'],
  );
  const waited = histogram('vh_share_wait_seconds', 'Time that calls waited for a shared concurrency slot.', [
    'operation',
  ]);
  const refused = counter('vh_share_refused_total', 'Calls refused because the wait for a shared slot was too long.', [
    'operation',
  ]);
  refused.inc({ operation: 'database' }, 0);
  let sums = new LRUCache<string, Sums>({ max: pairsMax });
  let earlier = sums;
  let sinceMs = clock();

  const rotate = (): void => {
    if (clock() - sinceMs < windowMs) return;
    earlier = clock() - sinceMs < 2 * windowMs ? sums : new LRUCache<string, Sums>({ max: pairsMax });
    sums = new LRUCache<string, Sums>({ max: pairsMax });
    sinceMs = clock();
  };
  return {
    noteShare({ operation, organizationId, waitedMs, heldMs }: ShareUse): void {
      waited.observe({ operation }, waitedMs / 1_000);
      if (heldMs === null) refused.inc({ operation });
      else held.observe({ operation }, heldMs / 1_000);
      rotate();
      const key = `${operation}\n${organizationId}`;
      const own = sums.get(key) ?? { calls: 0, refused: 0, heldMs: 0, waitedMs: 0 };
      own.calls += 1;
      own.refused += heldMs === null ? 1 : 0;
      own.heldMs += heldMs ?? 0;
      own.waitedMs += waitedMs;
      sums.set(key, own);
    },
    /** For each operation, the organizations that held its places longest in the last five to ten minutes. */
    topOrganizations(): Readonly<Record<string, readonly TopOrganization[]>> {
      rotate();
      const found: Record<string, TopOrganization[]> = {};
      for (const key of new Set([...sums.keys(), ...earlier.keys()])) {
        const [operation = '', organizationId = ''] = key.split('\n');
        const windows = sums === earlier ? [sums] : [sums, earlier];
        const of = (name: keyof Sums): number =>
          windows.reduce((total, window) => total + (window.peek(key)?.[name] ?? 0), 0);
        (found[operation] ??= []).push({
          organizationId,
          calls: of('calls'),
          refused: of('refused'),
          heldSeconds: of('heldMs') / 1_000,
          waitedSeconds: of('waitedMs') / 1_000,
        });
      }
      const byUse = (a: TopOrganization, b: TopOrganization): number =>
        b.heldSeconds + b.waitedSeconds - a.heldSeconds - a.waitedSeconds;
      return Object.fromEntries(
        Object.entries(found).map(([operation, list]) => [operation, list.sort(byUse).slice(0, topMax)]),
      );
    },
  };
}
