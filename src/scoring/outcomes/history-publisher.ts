/**
 * Publishes the history from the database to the counters store, where a score reads it in its one round trip. A record counts as
 * published once the counters store has it; publishing it twice changes nothing. Lost data of a project is published again whole.
 */
import type { Counters } from '../../stores/counters/port.js';
import { type Database, keysAreLookedUp } from '../../stores/database/port.js';
import { decay, type HistoryRow, sortRows } from './history-shifts.js';
import { createTurns } from './turns.js';

export interface HistoryPublisherDeps {
  readonly database: Database;
  readonly counters: Counters;
  readonly now: () => number;
}

const pageMax = 500;
/** A part of the store may be away, or refuse one project. If so many fail, all of it is unavailable, and further ones are not tried. */
const failuresMax = 3;
const unpublished = 'published < version';

/** Publishes these records and notes that. Rejects if a project’s failed, after those of the others. */
export async function publishRecords(deps: HistoryPublisherDeps, rows: readonly HistoryRow[]): Promise<void> {
  const published: HistoryRow[] = [];
  const failures: unknown[] = [];
  for (const namespace of new Set(rows.map((row) => row.namespace))) {
    const own = rows.filter((row) => row.namespace === namespace);
    await publish(deps, namespace, own).then(
      () => published.push(...own),
      (error: unknown) => failures.push(error),
    );
    if (failures.length >= failuresMax) break;
  }
  if (published.length > 0) await notePublished(deps, published);
  if (failures.length > 0) throw failures[0];
}

async function notePublished(deps: HistoryPublisherDeps, published: readonly HistoryRow[]): Promise<void> {
  const rows = sortRows(published);
  await deps.database.transaction(
    (tx) =>
      tx.query(
        `UPDATE history SET published = greatest(published, done.version)
           FROM (SELECT project, subject, named.version
                   FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS named (project, subject, version, place)
                   JOIN history h ON h.namespace = project AND h.subject_ref = subject ORDER BY place FOR NO KEY UPDATE OF h) AS done
          WHERE namespace = done.project AND subject_ref = done.subject`,
        [rows.map((row) => row.namespace), rows.map((row) => row.subject_ref), rows.map((row) => row.version)],
      ),
    { opening: keysAreLookedUp },
  );
}

/** Publishes what waits, a page of every organization in turn. */
export interface PendingPublisher {
  /** Publishes the next page; answers how many records, 0 where none waits. */
  next(): Promise<number>;
}

export function createPendingPublisher(deps: HistoryPublisherDeps): PendingPublisher {
  const nextTurn = createTurns();
  return {
    async next() {
      const turn = await nextTurn(deps.database, { table: 'history', where: unpublished }, pageMax);
      if (turn.projects.length === 0) return 0;
      const rows = await deps.database.query<HistoryRow>(
        `SELECT own.* FROM unnest($1::text[], $2::int[]) AS turn (project, share), LATERAL (
           SELECT namespace, subject_ref, version, days FROM history WHERE namespace = project AND ${unpublished} LIMIT share) AS own`,
        [turn.projects, turn.shares],
      );
      // Also where some fail: they come again in their turn, and the others are not kept waiting.
      turn.end();
      await publishRecords(deps, rows);
      return rows.length;
    },
  };
}

/** Publishes the whole history of one project. */
export async function publishProject(deps: HistoryPublisherDeps, namespace: string): Promise<void> {
  let after = '';
  for (;;) {
    const rows = await deps.database.query<HistoryRow>(
      `SELECT namespace, subject_ref, version, days FROM history WHERE namespace = $1 AND subject_ref > $2 ORDER BY subject_ref LIMIT ${pageMax}`,
      [namespace, after],
    );
    if (rows.length > 0) await publish(deps, namespace, rows);
    after = rows.at(-1)?.subject_ref ?? '';
    if (rows.length < pageMax) return;
  }
}

/** Records of one namespace. */
async function publish(
  { counters, now }: HistoryPublisherDeps,
  namespace: string,
  rows: readonly HistoryRow[],
): Promise<void> {
  const records = rows.map((row) => ({
    subject: row.subject_ref,
    version: row.version,
    value: decay(row.days, now()),
  }));
  await counters.publishHistory(namespace, records);
}
