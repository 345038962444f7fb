/**
 * Dead letters and the data subject: what can be read of somebody is taken out at once; what nobody can read is counted, and gone after a stated time.
 */
import type { Database, Queryable } from '../../database/port.js';
import type { Topic } from '../port.js';
import {
  deleteInBatches,
  type RetentionRounds,
  type RoundsDeps,
  startRetentionRounds,
} from '../../database/retention.js';

/** Read at a time. */
const readAtOnce = 50;

/**
 * Deletes somebody’s letters of a topic, in any group; returns how many. A letter that `isTheirs` cannot read is marked, and goes after its own,
 * shorter time.
 */
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
    const unreadable: string[] = [];
    const theirs = letters.filter(({ letter_id: letterId, value }) => {
      try {
        return isTheirs(value);
      } catch {
        unreadable.push(letterId);
        return false;
      }
    });
    if (unreadable.length > 0)
      await database.query(
        'UPDATE dead_letters SET unreadable = true WHERE letter_id = ANY($1::text[]) AND NOT unreadable',
        [unreadable],
      );
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

/** How many letters nobody can read, whoever they are about. */
export async function countUnreadable(database: Queryable): Promise<number> {
  const [row] = await database.query<{ letters: number }>(
    'SELECT count(*)::int AS letters FROM dead_letters WHERE unreadable',
  );
  return row?.letters ?? 0;
}

export interface LetterLifetimes {
  readonly retentionDays: number;
  readonly unreadableDays: number;
}

export const startDeadLetterRetention = (deps: RoundsDeps & LetterLifetimes): RetentionRounds =>
  startRetentionRounds({
    ...deps,
    what: 'dead letters',
    drop: (nowMs, isStopping) => dropLetters(deps.database, deps, nowMs, isStopping),
  });

/** Unreadable letters go earlier, because no erasure reaches them. Resolves to how many. */
export async function dropLetters(
  database: Database,
  { retentionDays, unreadableDays }: LetterLifetimes,
  nowMs: number,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const drop = (where: string, days: number): Promise<number> =>
    deleteInBatches(database, {
      ...{ table: 'dead_letters', where, isStopping },
      values: [new Date(nowMs - days * 86_400_000)],
    });
  return (await drop('failed_at < $1', retentionDays)) + (await drop('unreadable AND failed_at < $1', unreadableDays));
}
