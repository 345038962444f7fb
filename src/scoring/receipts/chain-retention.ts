/** Deletes what chains have of batches that were recorded longer ago than receipts are kept. The rest of a chain begins at the hash that its first batch names. */
import type { Database } from '../../stores/database/port.js';

const dayMs = 86_400_000;
const deadlineMs = 120_000;

/** Resolves to how many batches there were. A chain loses them at once, so that nobody finds it with a gap. */
export async function dropExpiredBatches(
  database: Database,
  nowMs: number,
  retentionDays: number,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const before = new Date(nowMs - retentionDays * dayMs);
  const chains = await database.query<{ namespace: string; seq: number }>(
    'SELECT namespace, max(seq) AS seq FROM receipt_batches WHERE recorded_at < $1 GROUP BY namespace',
    [before],
    { deadlineMs },
  );
  let dropped = 0;
  for (const { namespace, seq } of chains) {
    if (isStopping()) return dropped;
    const rows = await database.query(
      'WITH gone AS (DELETE FROM receipt_batches WHERE namespace = $1 AND seq <= $2 RETURNING 1) SELECT count(*)::int AS count FROM gone',
      [namespace, seq],
      { deadlineMs },
    );
    dropped += Number(rows[0]?.['count'] ?? 0);
  }
  await database.query("DELETE FROM receipt_heads WHERE day < ($1::timestamptz AT TIME ZONE 'UTC')::date - 1", [
    before,
  ]);
  return dropped;
}
