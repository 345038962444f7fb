/**
 * The SQL of a consumer group of the embedded log. One member reads at a time, under a lease by the database’s clock; a commit after the
 * lease was lost changes nothing and says so.
 */
import type { Database } from '../../database/port.js';
import { unpackEntries } from '../packing.js';
import type { LogEntry, Topic } from '../port.js';

export interface GroupKey {
  readonly topic: Topic;
  readonly group: string;
  readonly member: string;
}

/** Batches of the table in one read. Each holds at most about a megabyte, and mostly a few entries. */
const batchesMax = 256;
const readBytesMax = 4_194_304;

/** Becomes, or stays, the group's reader. Answers with the offset to read from, or null while another member reads. */
export async function acquireGroup(
  database: Database,
  { topic, group, member }: GroupKey,
  leaseMs: number,
): Promise<number | null> {
  const [row] = await database.query<{ next_offset: number }>(
    `INSERT INTO log_groups AS g (topic, group_name, member, lease_until, lease_server)
     VALUES ($1, $2, $3, now() + $4 * interval '1 millisecond', pg_postmaster_start_time())
     ON CONFLICT (topic, group_name) DO UPDATE
       SET member = excluded.member, lease_until = excluded.lease_until, lease_server = excluded.lease_server, seen_at = now()
       WHERE g.member IS NULL OR g.member = excluded.member OR g.lease_until < now() OR g.lease_server <> excluded.lease_server
     RETURNING next_offset`,
    [topic, group, member, leaseMs],
    { recurring: true },
  );
  return row?.next_offset ?? null;
}

/** Stores the offset and renews the lease; false when the lease was lost, and then nothing is stored. */
export async function commitGroup(
  database: Database,
  { topic, group, member }: GroupKey,
  nextOffset: number,
  leaseMs: number,
): Promise<boolean> {
  const rows = await database.query(
    `UPDATE log_groups SET next_offset = $4, lease_until = now() + $5 * interval '1 millisecond', seen_at = now()
     WHERE topic = $1 AND group_name = $2 AND member = $3 RETURNING 1`,
    [topic, group, member, nextOffset, leaseMs],
    { recurring: true },
  );
  return rows.length > 0;
}

/** Lets another member read at once. */
export async function releaseGroup(database: Database, { topic, group, member }: GroupKey): Promise<void> {
  await database.query('UPDATE log_groups SET member = NULL WHERE topic = $1 AND group_name = $2 AND member = $3', [
    topic,
    group,
    member,
  ]);
}

/** Entries from `position` on, as many as the limits of one read allow. The first may start later where retention removed what was unread. */
export async function readEntries(
  database: Database,
  topic: Topic,
  position: number,
): Promise<{ readonly start: number; readonly entries: readonly LogEntry[] }> {
  const rows = await database.query<{ end_offset: number; entry_count: number; content: Uint8Array }>(
    `SELECT end_offset, entry_count, content FROM (
       SELECT end_offset, entry_count, content, sum(octet_length(content)) OVER (ORDER BY end_offset) - octet_length(content) AS bytes_before
         FROM (SELECT * FROM log_batches WHERE topic = $1 AND end_offset > $2 ORDER BY end_offset LIMIT ${batchesMax}) AS next) AS sized
      WHERE bytes_before < ${readBytesMax} ORDER BY end_offset`,
    [topic, position],
    { recurring: true },
  );
  const [first] = rows;
  if (first === undefined) return { start: position, entries: [] };
  const start = Math.max(position, first.end_offset - first.entry_count);
  const entries = rows.flatMap(({ content }) => unpackEntries(content));
  return { start, entries: entries.slice(start - (first.end_offset - first.entry_count)) };
}
