/**
 * Sessions that were signed out before their time, in the database, so that they have ended on every instance. Only a session that verifies gets
 * here, and its row goes a day after it would have expired by the database’s clock, so that no instance’s clock brings it back. While the database
 * is away, no session can be ended, and those that were count as open: the console has to show that it is away.
 */
import type { ConsoleToken } from '../administration/console-tokens.js';
import { isUnavailable } from '../errors.js';
import type { Database } from '../stores/database/port.js';

export type EndedSessions = ReturnType<typeof createEndedSessions>;

export function createEndedSessions({ database }: { readonly database: Database }) {
  return {
    async add({ id, expiresAtMs }: Pick<ConsoleToken, 'id' | 'expiresAtMs'>): Promise<void> {
      await database.query("DELETE FROM ended_console_sessions WHERE expires_at < now() - interval '1 day'");
      await database.query(
        'INSERT INTO ended_console_sessions (session_id, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        [id, new Date(expiresAtMs)],
      );
    },
    async has({ id }: Pick<ConsoleToken, 'id'>): Promise<boolean> {
      const rows = await database
        .query('SELECT 1 AS ended FROM ended_console_sessions WHERE session_id = $1', [id])
        .catch((error: unknown) => {
          if (!isUnavailable(error)) throw error;
          return [];
        });
      return rows.length > 0;
    },
  };
}
