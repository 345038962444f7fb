/**
 * Brings back what the counters store has lost (flushed, restarted without its data, or new): history and the sessions of the last days are
 * read from the database in the background. Until that is done, scores of the project say what they could not measure.
 *
 *   unseen ──first score──▶ warm already, or nothing to bring back ──▶ warm
 *                       └─▶ rebuilding ──done──▶ warm        (failed: unseen again, the next score tries)
 *   warm ──a score finds the store cold──▶ unseen
 */
import { unpack } from 'msgpackr';
import type { ScoreFacts } from '../contract/facts.js';
import type { Pool } from '../pool/pool.js';
import type { CountedSession, Counters } from '../stores/counters/port.js';
import type { Namespace } from '../stores/counters/namespace.js';
import type { Database } from '../stores/database/port.js';
import type { Logger } from '../telemetry/logger.js';
import { publishProject } from './outcomes/history-publisher.js';
import type { Receipt } from './receipts.js';

export interface WarmthDeps {
  readonly database: Database;
  readonly counters: Counters;
  readonly pool: Pool;
  readonly logger: Logger;
  readonly now: () => number;
}

export interface Warmth {
  /** To be called before a score of a project, or of one of its worlds, is counted. Waits only for the first look at a project, never for a rebuild. */
  check(projectId: Namespace): Promise<void>;
  /** A score found the store cold for this project. */
  foundCold(projectId: Namespace): void;
  /** Resolves when no rebuild is under way. */
  settled(): Promise<void>;
}

/** Longest window that a counter looks back, and the most sessions that are counted again for it. */
const restoreWindowMs = 7 * 86_400_000;
const restoreSessionsMax = 200_000;
const pageMax = 500;
/** Receipts of an instance whose clock is ahead are not to be missed. */
const clockSkewMs = 300_000;

export function createWarmth(deps: WarmthDeps): Warmth {
  const warm = new Set<string>();
  const looking = new Map<string, Promise<void>>();
  const rebuilding = new Map<string, Promise<void>>();

  async function look(projectId: Namespace): Promise<void> {
    if (await deps.counters.isWarm(projectId)) warm.add(projectId);
    else if (await hasNothing(deps.database, projectId, deps.now())) {
      await deps.counters.markWarm(projectId);
      warm.add(projectId);
    } else if (!rebuilding.has(projectId)) {
      const work = rebuild(deps, projectId)
        .then(() => void warm.add(projectId))
        .catch((error: unknown) =>
          deps.logger.warn(
            { err: error, projectId },
            'the counters of a project were not brought back; the next score tries again',
          ),
        )
        .finally(() => rebuilding.delete(projectId));
      rebuilding.set(projectId, work);
    }
  }

  return {
    check(projectId) {
      if (warm.has(projectId) || rebuilding.has(projectId)) return Promise.resolve();
      const pending =
        looking.get(projectId) ??
        look(projectId)
          .catch(() => undefined)
          .finally(() => looking.delete(projectId));
      looking.set(projectId, pending);
      return pending;
    },
    foundCold: (projectId) => void warm.delete(projectId),
    settled: async () => {
      await Promise.all([...looking.values()]);
      await Promise.all([...rebuilding.values()]);
    },
  };
}

async function hasNothing(database: Database, projectId: Namespace, nowMs: number): Promise<boolean> {
  const [row] = await database.query<{ something: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM history WHERE project_id = $1) OR EXISTS (SELECT 1 FROM receipts WHERE project_id = $1 AND scored_at > $2) AS something`,
    [projectId, new Date(nowMs - restoreWindowMs)],
  );
  return row?.something !== true;
}

async function rebuild(deps: WarmthDeps, projectId: Namespace): Promise<void> {
  const { database, counters, logger } = deps;
  const startedAtMs = deps.now();
  await publishProject(deps, projectId);
  let restored = 0;
  const oldest = new Date(startedAtMs - restoreWindowMs);
  // Newest first: what matters most is there soonest, and the bound leaves out the oldest.
  let before = { at: new Date(startedAtMs + clockSkewMs), id: '' };
  while (restored < restoreSessionsMax) {
    const rows = await database.query<{ receipt_id: string; scored_at: Date; record: Uint8Array }>(
      `SELECT receipt_id, scored_at, record FROM receipts
        WHERE project_id = $1 AND scored_at >= $2 AND (scored_at, receipt_id) < ($3, $4) ORDER BY scored_at DESC, receipt_id DESC LIMIT ${pageMax}`,
      [projectId, oldest, before.at, before.id],
    );
    await counters.restoreSessions(
      projectId,
      await Promise.all(rows.map(({ record }) => countedSessionOf(deps.pool, unpack(record) as Receipt))),
    );
    restored += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageMax) break;
    before = { at: last.scored_at, id: last.receipt_id };
  }
  await counters.markWarm(projectId);
  logger.info(
    { projectId, restored, ms: deps.now() - startedAtMs },
    'the counters of a project were brought back from the database',
  );
}

/** What was counted then, with the sketch of the device made again from the recorded probe. */
async function countedSessionOf(pool: Pool, { trace, facts }: Receipt): Promise<CountedSession> {
  const { probe, token = null } = unpack(facts) as ScoreFacts;
  const known = { ...trace, device: trace.device ?? token, token };
  if (probe === null) return { ...known, sketch: null, bands: [] };
  return { ...known, ...(await pool.run({ kind: 'sketch', body: probe.body, userAgent: probe.transport.userAgent })) };
}
