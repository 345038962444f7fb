/**
 * The table of dead letters: records that a consumer group could not take, with the reason, until they are played again.
 */
import { createHash } from 'node:crypto';
import type { Database, Queryable } from '../database/port.js';
import type { LogEntry, Topic } from './port.js';

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
  /** Of these, to be played again at the next look. */
  readonly asked: number;
  readonly oldestSeconds: number;
  /** Of the one that failed last. */
  readonly latestReason: string;
}

const reasonMax = 500;

/** Keeps a record; false where the group has `lettersMax` already, and then nothing is kept. */
export async function insertLetter(
  database: Database,
  { topic, group }: LetterOwner,
  { key, value }: LogEntry,
  reason: string,
  lettersMax: number,
): Promise<boolean> {
  const letterId = createHash('sha256').update(`${topic}\n${group}\n${key}\n`).update(value).digest('hex');
  const rows = await database.query(
    `INSERT INTO dead_letters AS d (letter_id, topic, group_name, key, value, reason)
     SELECT $1, $2, $3, $4, $5, $6
      WHERE (SELECT count(*) FROM (SELECT 1 FROM dead_letters WHERE group_name = $3 AND letter_id <> $1 LIMIT $7) AS kept) < $7
     ON CONFLICT (letter_id) DO UPDATE SET reason = excluded.reason, tries = d.tries + 1, failed_at = now(), asked_at = NULL
     RETURNING 1`,
    [letterId, topic, group, storable(key), value, storable(reason).slice(0, reasonMax), lettersMax],
  );
  return rows.length > 0;
}

/** What an operator asked for, oldest first, at most `count`. */
export async function findAskedLetters(
  database: Database,
  { topic, group }: LetterOwner,
  count: number,
): Promise<readonly AskedLetter[]> {
  return database.query<{ letterId: string; key: string; value: Uint8Array }>(
    `SELECT letter_id AS "letterId", key, value FROM dead_letters
      WHERE asked_at IS NOT NULL AND topic = $1 AND group_name = $2 ORDER BY failed_at LIMIT $3`,
    [topic, group, count],
  );
}

export async function removeLetter(database: Database, letterId: string): Promise<void> {
  await database.query('DELETE FROM dead_letters WHERE letter_id = $1', [letterId]);
}

/** Read at a time. */
const readAtOnce = 50;

/** Takes out the letters of a topic that are somebody's, whatever group they are of; answers how many. What `isTheirs` cannot read stays. */
export async function eraseLetters(
  database: Queryable,
  topic: Topic,
  isTheirs: (value: Uint8Array) => boolean,
): Promise<number> {
  let erased = 0;
  for (let after = ''; ;) {
    const letters = await database.query<{ letter_id: string; value: Uint8Array }>(
      'SELECT letter_id, value FROM dead_letters WHERE topic = $1 AND letter_id > $2 ORDER BY letter_id LIMIT $3',
      [topic, after, readAtOnce],
    );
    const theirs = letters.filter(({ value }) => {
      try {
        return isTheirs(value);
      } catch {
        return false;
      }
    });
    if (theirs.length > 0)
      await database.query('DELETE FROM dead_letters WHERE letter_id = ANY($1::text[])', [
        theirs.map(({ letter_id: letterId }) => letterId),
      ]);
    erased += theirs.length;
    const last = letters.at(-1);
    if (last === undefined || letters.length < readAtOnce) return erased;
    after = last.letter_id;
  }
}

/** Has the letters of a group, or of all, played again by the consumers that run; answers how many. */
export async function askForLetters(database: Database, group: string | null): Promise<number> {
  const rows = await database.query(
    'UPDATE dead_letters SET asked_at = now() WHERE asked_at IS NULL AND ($1::text IS NULL OR group_name = $1) RETURNING 1',
    [group],
  );
  return rows.length;
}

/** What waits in the table, by group; a group without letters is not there. */
export async function readLetterFigures(database: Database): Promise<readonly LetterFigures[]> {
  return database.query<Record<string, unknown> & LetterFigures>(
    `SELECT group_name AS group, count(*)::int AS letters, count(asked_at)::int AS asked,
            extract(epoch FROM now() - min(failed_at))::float8 AS "oldestSeconds",
            (array_agg(reason ORDER BY failed_at DESC))[1] AS "latestReason"
       FROM dead_letters GROUP BY group_name ORDER BY group_name`,
  );
}

/** A text column holds no NUL. */
const storable = (text: string): string => text.replaceAll('\0', '�');
