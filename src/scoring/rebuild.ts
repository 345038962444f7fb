/**
 * Brings a project back into a counters store that has lost something of it: its history, and the sessions that the counters still look back to,
 * read from the database, newest first. One process at a time does so for a project. How far it has come is noted after each page beside the claim:
 * what ends early goes on from there, here or in another process. A loss while it is at it ends it without a mark, and the next look begins anew.
 *
 *   claimed ──▶ what the log holds is recorded ──▶ history told ──▶ sessions counted, a page at a time ──▶ marked
 *           │                                └─not in time─▶ behind                 ▲
 *           └──────────one in this run of the store came so far already─────────────┘
 *
 * Sessions are found by the index of sessions, which is in the order of receipts within a project, and read by their day: a page costs the same
 * however many receipts there are.
 */
import { leastIdAt } from '../crypto/ids.js';
import type { Pool } from '../pool/pool.js';
import { openFacts, openReceipt } from '../record/record.js';
import type { Receipt } from '../record/types.js';
import { bounds } from '../stores/counters/bounds.js';
import type { CountedSession, Counters } from '../stores/counters/port.js';
import type { Namespace } from '../stores/counters/namespace.js';
import type { Database, Row } from '../stores/database/port.js';
import type { Log } from '../stores/log/port.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { publishProject } from './outcomes/history-publisher.js';
import { untilRecorded } from './recorded-log.js';

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
const pageMax = 500;
const dayMs = bounds.dayMs;
/** Of one page; nobody waits for it. */
const deadlineMs = 30_000;
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
    const below = reached ?? leastIdAt('receipt', startedAtMs + clockSkewMs);
    const note = (downTo: string): Promise<boolean> => deps.counters.noteRebuilt(namespace, owner, downTo);
    const restored = await restore(deps, namespace, { sinceMs, below, isLost: claim.isLost, note });
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

async function restore(
  deps: RebuildDeps,
  namespace: Namespace,
  span: {
    readonly sinceMs: number;
    /** Sessions from this receipt on have been restored, or were counted live. */
    readonly below: string;
    readonly isLost: () => boolean;
    readonly note: (downTo: string) => Promise<boolean>;
  },
): Promise<number> {
  const oldest = leastIdAt('receipt', span.sinceMs);
  let restored = 0;
  let { below } = span;
  while (!span.isLost()) {
    const page = await deps.database.query<IndexedSession>(
      `SELECT session_ref, receipt_id, first_scored_at, scored_at FROM session_index
        WHERE project_id = $1 AND receipt_id < $2 AND receipt_id >= $3 ORDER BY receipt_id DESC LIMIT ${pageMax}`,
      [namespace, below, oldest],
      { deadlineMs },
    );
    for (const [day, sessionRefs] of daysOf(page, span.sinceMs)) {
      const sessions = await readDay(deps, namespace, day, sessionRefs);
      for (let from = 0; from < sessions.length; from += bounds.restoreMax)
        await deps.counters.restoreSessions(namespace, sessions.slice(from, from + bounds.restoreMax));
    }
    restored += page.length;
    deps.metrics.restoredSessions.inc(page.length);
    const last = page.at(-1);
    if (last === undefined || page.length < pageMax) break;
    below = last.receipt_id;
    if (!(await span.note(below))) break;
  }
  return restored;
}

interface IndexedSession extends Row {
  readonly session_ref: string;
  readonly receipt_id: string;
  readonly first_scored_at: Date;
  readonly scored_at: Date;
}

/** Sessions by the days on which receipts of theirs may lie, the latest day first. */
function daysOf(page: readonly IndexedSession[], sinceMs: number): readonly (readonly [day: number, refs: string[]])[] {
  const days = new Map<number, string[]>();
  for (const { session_ref, first_scored_at, scored_at } of page) {
    const first = Math.floor(Math.max(first_scored_at.getTime(), sinceMs) / dayMs);
    for (let day = Math.floor(scored_at.getTime() / dayMs); day >= first; day -= 1) {
      const refs = days.get(day) ?? [];
      refs.push(session_ref);
      days.set(day, refs);
    }
  }
  return [...days].sort(([a], [b]) => b - a);
}

async function readDay(
  { database, pool, logger }: RebuildDeps,
  namespace: Namespace,
  day: number,
  sessionRefs: readonly string[],
): Promise<readonly CountedSession[]> {
  const rows = await database.query<{ receipt_id: string; record: Uint8Array }>(
    `SELECT receipt_id, record FROM receipts WHERE project_id = $1 AND scored_at >= $2 AND scored_at < $3 AND session_ref = ANY($4::text[])
      ORDER BY scored_at DESC`,
    [namespace, new Date(day * dayMs), new Date((day + 1) * dayMs), sessionRefs],
    { deadlineMs },
  );
  return Promise.all(rows.flatMap((row) => open(row, logger)).map((receipt) => countedSessionOf(pool, receipt)));
}

type Opened = Pick<Receipt, 'trace'> & { readonly facts: ReturnType<typeof openFacts> };

/** Nothing of a record that cannot be read (a damaged row): the project comes back without it, and not at all if it had to wait for it. */
function open(row: { readonly receipt_id: string; readonly record: Uint8Array }, logger: Logger): readonly Opened[] {
  try {
    const { trace, facts } = openReceipt(row.record);
    return [{ trace, facts: openFacts(facts) }];
  } catch (error) {
    logger.warn(
      { err: error, receiptId: row.receipt_id },
      'a receipt cannot be read and is left out of the rebuilding',
    );
    return [];
  }
}

/** What was counted then, with the sketch of the device made again from the recorded probe. */
async function countedSessionOf(pool: Pick<Pool, 'run'>, { trace, facts }: Opened): Promise<CountedSession> {
  const { probe, token = null } = facts;
  const known = { ...trace, device: trace.device ?? token, token };
  if (probe === null) return { ...known, sketch: null, bands: [] };
  return { ...known, ...(await pool.run({ kind: 'sketch', body: probe.body, userAgent: probe.transport.userAgent })) };
}
