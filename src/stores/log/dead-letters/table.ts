/**
 * The table of dead letters: records that a consumer group could not take, with the reason, until they are played again.
 */
import { createHash } from 'node:crypto';
import type { Database } from '../../database/port.js';
import type { LogEntry, Topic } from '../port.js';

/** Whose records they are. */
export interface LetterOwner {
  readonly topic: Topic;
  readonly group: string;
}

export interface AskedLetter extends LogEntry {
  readonly letterId: string;
}

export interface LetterFigures {
  readonly group: string;
  readonly letters: number;
  /** The number of these to be played again in the next round. */
  readonly asked: number;
  /** The number of these that cannot be read. */
  readonly unreadable: number;
  /** Organizations, or projects, that they are known to be of. */
  readonly tenants: number;
  /** The one that most are of; null where none is known. */
  readonly mostOf: string | null;
  readonly oldestSeconds: number;
  /** The reason of the latest failure. */
  readonly latestReason: string;
}

const reasonMax = 500;

/** Whose record it is: empty if unknown, null if nobody can read it. */
export type Tenant = string | null;

/** How many tenants with their whole share fill a group. */
const sharesMax = 10;
/** Most of one tenant, as a multiple of what a group keeps. */
const tenantRooms = 10;

/**
 * Keeps a record; false if there is no room. A group is full at `lettersMax`, to which one tenant counts for a tenth at most; one tenant
 * may keep ten times `lettersMax`.
 */
export async function insertLetter(
  database: Database,
  { topic, group }: LetterOwner,
  { key, value }: LogEntry,
  { tenant, reason, lettersMax }: { readonly tenant: Tenant; readonly reason: string; readonly lettersMax: number },
): Promise<boolean> {
  const letterId = createHash('sha256').update(`${topic}\n${group}\n${key}\n`).update(value).digest('hex');
  const share = Math.max(1, Math.floor(lettersMax / sharesMax));
  // Letters without a tenant count in full. Each count ends at what matters of it; tenants are stepped through by the index.
  const rows = await database.query(
    `WITH RECURSIVE tenants AS (
       SELECT min(tenant) AS tenant FROM dead_letters WHERE group_name = $3
       UNION ALL
       SELECT (SELECT min(d.tenant) FROM dead_letters d WHERE d.group_name = $3 AND d.tenant > t.tenant) FROM tenants t WHERE t.tenant IS NOT NULL),
     kept AS (
       SELECT t.tenant, (SELECT count(*) FROM (SELECT 1 FROM dead_letters d WHERE d.group_name = $3 AND d.tenant = t.tenant AND d.letter_id <> $1
                                                LIMIT CASE t.tenant WHEN $7 THEN $9::int WHEN '' THEN $8::int ELSE $10::int END) AS those) AS letters
         FROM tenants t WHERE t.tenant IS NOT NULL),
     room AS (
       SELECT coalesce(sum(CASE tenant WHEN '' THEN letters ELSE least(letters, $10::int) END), 0) AS counted,
              coalesce(max(letters) FILTER (WHERE tenant = $7 AND tenant <> ''), 0) AS own FROM kept)
     INSERT INTO dead_letters AS d (letter_id, topic, group_name, key, value, reason, tenant, unreadable)
     SELECT $1, $2, $3, $4, $5, $6, $7, $11 FROM room WHERE own < $9::int AND (counted < $8::int OR own >= $10::int)
     ON CONFLICT (letter_id) DO UPDATE SET reason = excluded.reason, tries = d.tries + 1, failed_at = now(), asked_at = NULL
     RETURNING 1`,
    [
      ...[letterId, topic, group, storable(key), value, storable(reason).slice(0, reasonMax), storable(tenant ?? '')],
      ...[lettersMax, lettersMax * tenantRooms, share, tenant === null],
    ],
  );
  return rows.length > 0;
}

/** Letters that an operator requested, at most `count`: tenants take turns, each with its oldest first. */
export async function findAskedLetters(
  database: Database,
  { topic, group }: LetterOwner,
  count: number,
): Promise<readonly AskedLetter[]> {
  return database.query<{ letterId: string; key: string; value: Uint8Array }>(
    `SELECT letter_id AS "letterId", key, value FROM dead_letters JOIN (
       SELECT letter_id, failed_at, row_number() OVER (PARTITION BY tenant ORDER BY failed_at) AS turn FROM dead_letters
        WHERE asked_at IS NOT NULL AND topic = $1 AND group_name = $2 ORDER BY turn, failed_at LIMIT $3) AS next USING (letter_id)
      ORDER BY next.turn, next.failed_at`,
    [topic, group, count],
  );
}

export async function removeLetter(database: Database, letterId: string): Promise<void> {
  await database.query('DELETE FROM dead_letters WHERE letter_id = $1', [letterId]);
}

/** Asks the running consumers to replay the dead letters of a group, or of all. Returns how many. */
export async function requestRedelivery(database: Database, group: string | null): Promise<number> {
  const rows = await database.query(
    'UPDATE dead_letters SET asked_at = now() WHERE asked_at IS NULL AND ($1::text IS NULL OR group_name = $1) RETURNING 1',
    [group],
  );
  return rows.length;
}

/** Waiting letters by group; a group without letters is absent. */
export async function readLetterFigures(database: Database): Promise<readonly LetterFigures[]> {
  return database.query<Record<string, unknown> & LetterFigures>(
    `SELECT group_name AS group, count(*)::int AS letters, count(asked_at)::int AS asked, count(*) FILTER (WHERE unreadable)::int AS unreadable,
            count(DISTINCT nullif(tenant, ''))::int AS tenants, mode() WITHIN GROUP (ORDER BY nullif(tenant, '')) AS "mostOf",
            extract(epoch FROM now() - min(failed_at))::float8 AS "oldestSeconds",
            (array_agg(reason ORDER BY failed_at DESC))[1] AS "latestReason"
       FROM dead_letters GROUP BY group_name ORDER BY group_name`,
  );
}

/** How many letters a group has, and the age of the oldest. */
export async function readLetterGauges(
  database: Database,
  group: string,
): Promise<{ readonly letters: number; readonly oldestSeconds: number }> {
  const [row] = await database.query<{ letters: number; oldestSeconds: number }>(
    `SELECT count(*)::int AS letters, coalesce(extract(epoch FROM now() - min(failed_at)), 0)::float8 AS "oldestSeconds"
       FROM dead_letters WHERE group_name = $1`,
    [group],
  );
  return row ?? { letters: 0, oldestSeconds: 0 };
}

/** A text column holds no NUL. */
const storable = (text: string): string => text.replaceAll('\0', '�');
