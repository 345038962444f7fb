/**
 * Checks whether the counters of a project are complete, and rebuilds them from the database in the background. A store loses counters if it is emptied,
 * restarted from an older snapshot, or taken over by a replica that was behind. Until the rebuild ends, scores of the project report what they could
 * not measure.
 *
 *   unknown ──first score──▶ complete, or nothing to rebuild ──▶ complete ──every few seconds, and after a broken connection──▶ checked again
 *                        └─▶ rebuilding, here or elsewhere ──done──▶ complete        (failed: unknown again, a later score retries)
 *   complete ──a score finds the store incomplete──▶ unknown
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createFairLimiter } from '../../fair-limiter.js';
import { leastIdAt } from '../../crypto/ids.js';
import type { Namespace } from '../../stores/counters/namespace.js';
import type { Database } from '../../stores/database/port.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { type RebuildDeps, rebuildProject, restoreWindowMs, untilRecorded } from './rebuild.js';

export interface CounterRecoveryDeps extends RebuildDeps {
  /** For the first look at a project, which a score waits for. */
  readonly lookups: Database;
  readonly metrics: Pick<Metrics, 'restoredSessions' | 'rebuilds'>;
}

export interface CounterRecovery {
  /** To be called before a score of a project, or of one of its modes, is counted. Waits only for a look at a project, never for a rebuild. */
  check(namespace: Namespace): Promise<void>;
  /** A score found the counters of this project incomplete. */
  markIncomplete(namespace: Namespace): void;
  /** Resolves when no rebuild is under way. */
  settled(): Promise<void>;
}

/** Pages that rebuilds read at once. */
const pagesMax = 4;
/** A project in use is looked at this often, which also notes up to when it was whole. */
const lookEveryMs = 10_000;
/** While another process rebuilds, and after a failure. */
const lookAgainMs = 1_000;
/** The first score of a new project waits this long for what is on its way to the database. */
const recordedWait = { patienceMs: 1_000, everyMs: 50 };
/** And no longer than this for the whole look: then it is counted, and says that it is partial. */
const lookPatienceMs = 1_500;

export function createCounterRecovery(deps: CounterRecoveryDeps): CounterRecovery {
  const { counters, logger, metrics, now } = deps;
  const owner = randomUUID();
  const turns = createFairLimiter({ operation: 'rebuild', places: pagesMax, each: 1 });
  const whole = new Map<Namespace, { readonly atMs: number; readonly interruptions: number }>();
  const lookAgainAtMs = new Map<Namespace, number>();
  const looking = new Map<Namespace, Promise<void>>();
  const rebuilding = new Map<Namespace, Promise<void>>();

  async function look(namespace: Namespace): Promise<void> {
    const seen = { atMs: now(), interruptions: counters.interruptions() };
    const { isComplete, keptUpToMs } = await counters.checkComplete(namespace);
    if (isComplete) return void whole.set(namespace, seen);
    whole.delete(namespace);
    if (keptUpToMs === null && (await isNew(deps, namespace))) {
      await counters.markComplete(namespace);
      whole.set(namespace, seen);
    } else if (!rebuilding.has(namespace)) rebuilding.set(namespace, rebuild(namespace, keptUpToMs));
  }

  async function rebuild(namespace: Namespace, keptUpToMs: number | null): Promise<void> {
    const seen = { atMs: now(), interruptions: counters.interruptions() };
    try {
      const result = await rebuildProject(deps, namespace, { owner, keptUpToMs, turns });
      metrics.rebuilds.inc({ result });
      if (result === 'done') whole.set(namespace, seen);
      else lookAgainAtMs.set(namespace, now() + lookAgainMs);
    } catch (error) {
      metrics.rebuilds.inc({ result: 'failed' });
      lookAgainAtMs.set(namespace, now() + lookAgainMs);
      logger.warn({ err: error, namespace }, 'counter recovery failed; a later score retries');
    } finally {
      rebuilding.delete(namespace);
    }
  }

  const lookOnce = (namespace: Namespace): Promise<void> => {
    const pending =
      looking.get(namespace) ??
      look(namespace)
        .catch((error: unknown) =>
          logger.warn({ err: error, namespace }, 'checking counters failed; a later score retries'),
        )
        .finally(() => looking.delete(namespace));
    looking.set(namespace, pending);
    return pending;
  };

  return {
    check(namespace) {
      const known = whole.get(namespace);
      if (known !== undefined && known.interruptions === counters.interruptions()) {
        if (now() - known.atMs >= lookEveryMs) void lookOnce(namespace);
        return Promise.resolve();
      }
      const isWaiting = rebuilding.has(namespace) || now() < (lookAgainAtMs.get(namespace) ?? 0);
      return isWaiting
        ? Promise.resolve()
        : Promise.race([lookOnce(namespace), pause(lookPatienceMs, undefined, { ref: false })]);
    },
    markIncomplete: (namespace) => void whole.delete(namespace),
    settled: async () => {
      await Promise.all([...looking.values()]);
      await Promise.all([...rebuilding.values()]);
    },
  };
}

/**
 * Whether there is nothing to restore: nothing recorded, nothing in the log. Unknown within a score’s patience if consumers lag: then it
 * counts as not new.
 */
async function isNew({ lookups, log, now }: CounterRecoveryDeps, namespace: Namespace): Promise<boolean> {
  const hasNothing = async (): Promise<boolean> => {
    const [row] = await lookups.query<{ something: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM history WHERE namespace = $1)
           OR EXISTS (SELECT 1 FROM session_index WHERE namespace = $1 AND receipt_id >= $2) AS something`,
      [namespace, leastIdAt('receipt', now() - restoreWindowMs)],
    );
    return row?.something !== true;
  };
  if (!(await hasNothing())) return false;
  // While the log is away the project counts as new.
  const isRecorded = await untilRecorded(log, recordedWait).catch(() => true);
  return isRecorded && hasNothing();
}
