/**
 * Rebuilds a project in a counters store that lost data: publishes its history, and counts the sessions that the counters still look back to, read
 * from the database, newest first. One process at a time rebuilds a project. It saves its cursor after each page, so that a rebuild that ends early
 * continues there, in this process or another. A loss during a rebuild ends it without a mark; the next check starts over.
 *
 *   claimed ──▶ what the log holds is recorded ──▶ history published ──▶ sessions counted, a page at a time ──▶ marked
 *           │                                └─not in time─▶ behind                      ▲
 *           └──────────a rebuild in the same run of the store left a cursor──────────────┘
 */
import type { FairLimiter } from '../../fair-limiter.js';
import type { Pool } from '../../pool/pool.js';
import { bounds } from '../../stores/counters/bounds.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Namespace } from '../../stores/counters/namespace.js';
import type { Database } from '../../stores/database/port.js';
import type { Log } from '../../stores/log/port.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { publishProject } from '../outcomes/history-publisher.js';
import { firstCursor, type RestoredPage, restorePage, type Span } from './rebuild-pages.js';
import { setTimeout as pause } from 'node:timers/promises';

export interface RebuildDeps {
  readonly database: Database;
  readonly counters: Counters;
  readonly log: Pick<Log, 'progress'>;
  readonly pool: Pick<Pool, 'run'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'restoredSessions'>;
  readonly now: () => number;
  /** How long a rebuild waits for the consumers to record what the log holds. */
  readonly recordedPatienceMs?: number;
}

/** `taken`: another process is at it. `interrupted`: the store lost something again. `behind`: the consumers have not recorded what the log holds. */
export type RebuildResult = 'done' | 'taken' | 'interrupted' | 'behind';

/** Longest window that a counter looks back. */
export const restoreWindowMs = bounds.weekMs;
/** Receipts of an instance whose clock is ahead, or of the moment of the loss, are not to be missed. */
const clockSkewMs = 300_000;
const recordedWait = { patienceMs: 30_000, everyMs: 500 };

/** A rebuild restores the sessions since this time. */
export const restoreStart = (startedAtMs: number, keptUpToMs: number | null): number =>
  Math.max(startedAtMs - restoreWindowMs, (keptUpToMs ?? -Infinity) - clockSkewMs);

export interface RebuildOrder {
  readonly owner: string;
  readonly keptUpToMs: number | null;
  /** In which the rebuilds of all projects read their pages. */
  readonly turns: Pick<FairLimiter, 'run'>;
}

export async function rebuildProject(
  deps: RebuildDeps,
  namespace: Namespace,
  { owner, keptUpToMs, turns }: RebuildOrder,
): Promise<RebuildResult> {
  const startedAtMs = deps.now();
  if ((await deps.counters.claimRebuild(namespace, owner, false)) === 'taken') return 'taken';
  const claim = keepClaim(deps, namespace, owner);
  try {
    const reached = await deps.counters.rebuiltDownTo(namespace);
    if (reached === null) {
      const patienceMs = deps.recordedPatienceMs ?? recordedWait.patienceMs;
      if (!(await untilRecorded(deps.log, { ...recordedWait, patienceMs }))) return 'behind';
      await publishProject(deps, namespace);
    }
    const sinceMs = restoreStart(startedAtMs, keptUpToMs);
    const span = { sinceMs, untilMs: startedAtMs + clockSkewMs };
    const note = (cursor: string): Promise<boolean> => deps.counters.noteRebuilt(namespace, owner, cursor);
    const from = reached ?? firstCursor(span);
    const restored = await restore(deps, namespace, span, { turns, from, isLost: claim.isLost, note });
    if (claim.isLost() || !(await deps.counters.markComplete(namespace, owner))) return 'interrupted';
    deps.logger.info(
      { namespace, restored, resumed: reached !== null, since: new Date(sinceMs), ms: deps.now() - startedAtMs },
      'counter recovery finished',
    );
    return 'done';
  } finally {
    claim.end();
  }
}

/** Renews the claim for as long as the work goes on, and knows whether it was lost. */
function keepClaim({ counters }: RebuildDeps, namespace: Namespace, owner: string) {
  let isLost = false;
  const renew = (): void =>
    void counters.claimRebuild(namespace, owner, true).then(
      (claim) => (isLost ||= claim !== 'held'),
      () => undefined,
    );
  const timer = setInterval(renew, bounds.claimMs / 4);
  timer.unref();
  return { isLost: () => isLost, end: () => clearInterval(timer) };
}

interface Walk extends Pick<RebuildOrder, 'turns'> {
  /** Everything before this cursor has been restored, or was counted live. */
  readonly from: string;
  readonly isLost: () => boolean;
  readonly note: (place: string) => Promise<boolean>;
}

async function restore(
  deps: RebuildDeps,
  namespace: Namespace,
  span: Span,
  { turns, from: first, isLost, note }: Walk,
): Promise<number> {
  let restored = 0;
  let cursor: string | null = first;
  while (cursor !== null && !isLost()) {
    const from: string = cursor;
    const page = (): Promise<RestoredPage> => restorePage(deps, namespace, span, from);
    const { sessions, next }: RestoredPage = await turns.run(namespace, page);
    restored += sessions;
    deps.metrics.restoredSessions.inc(sessions);
    if (next !== null && !(await note(next))) break;
    cursor = next;
  }
  return restored;
}

export interface RecordedWait {
  readonly patienceMs: number;
  /** Between looks. */
  readonly everyMs: number;
}

/** Waits until everything now in the log is recorded; false after the patience. Rejects while the log is away. */
export async function untilRecorded(
  log: Pick<Log, 'progress'>,
  { patienceMs, everyMs }: RecordedWait,
): Promise<boolean> {
  const endMs = performance.now() + patienceMs;
  let progress = await log.progress('scores', 'receipts');
  const ends = new Map(progress.map(({ partition, end }) => [partition, end]));
  while (!progress.every(({ partition, next }) => next >= (ends.get(partition) ?? 0))) {
    if (performance.now() > endMs) return false;
    await pause(everyMs);
    progress = await log.progress('scores', 'receipts');
  }
  return true;
}
