/**
 * Brings a project back into a counters store that has lost something of it: its history, and the sessions that the counters still look back to,
 * read from the database, newest first. One process at a time does so for a project. How far it has come is noted after each page beside the claim:
 * what ends early goes on from there, here or in another process. A loss while it is at it ends it without a mark, and the next look begins anew.
 *
 *   claimed ──▶ what the log holds is recorded ──▶ history told ──▶ sessions counted, a page at a time ──▶ marked
 *           │                                └─not in time─▶ behind                 ▲
 *           └──────────one in this run of the store came so far already─────────────┘
 *
 * Sessions are found by the index of sessions, which is in the order of receipts within a project, and read by their day. While the index is younger
 * than the counters look back, receipts that it may not know are read too (rebuild-pages.ts): a project is not marked without them.
 */
import type { Pool } from '../../pool/pool.js';
import { bounds } from '../../stores/counters/bounds.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Namespace } from '../../stores/counters/namespace.js';
import type { Database } from '../../stores/database/port.js';
import type { Log } from '../../stores/log/port.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { publishProject } from '../outcomes/history-publisher.js';
import { firstPlace, restorePage, type RestoredPage, type Span } from './rebuild-pages.js';
import { untilRecorded } from '../receipts/recorded-log.js';
import { indexedFrom } from '../sessions/before-index.js';

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

export async function rebuildProject(
  deps: RebuildDeps,
  namespace: Namespace,
  { owner, keptUpToMs }: { readonly owner: string; readonly keptUpToMs: number | null },
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
    const sinceMs = Math.max(startedAtMs - restoreWindowMs, (keptUpToMs ?? -Infinity) - clockSkewMs);
    const indexedFromMs = await indexedFrom(deps.database);
    const span = { sinceMs, untilMs: startedAtMs + clockSkewMs, indexedFromMs };
    const note = (place: string): Promise<boolean> => deps.counters.noteRebuilt(namespace, owner, place);
    const from = reached ?? firstPlace(span);
    const restored = await restore(deps, namespace, span, { from, isLost: claim.isLost, note });
    if (claim.isLost() || !(await deps.counters.markWarm(namespace, owner))) return 'interrupted';
    deps.logger.info(
      { namespace, restored, resumed: reached !== null, since: new Date(sinceMs), ms: deps.now() - startedAtMs },
      'the counters of a project were brought back from the database',
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

interface Walk {
  /** What comes before this place has been restored, or was counted live. */
  readonly from: string;
  readonly isLost: () => boolean;
  readonly note: (place: string) => Promise<boolean>;
}

async function restore(
  deps: RebuildDeps,
  namespace: Namespace,
  span: Span,
  { from, isLost, note }: Walk,
): Promise<number> {
  let restored = 0;
  let place: string | null = from;
  while (place !== null && !isLost()) {
    const { sessions, next }: RestoredPage = await restorePage(deps, namespace, span, place);
    restored += sessions;
    deps.metrics.restoredSessions.inc(sessions);
    if (next !== null && !(await note(next))) break;
    place = next;
  }
  return restored;
}
