/**
 * A database that tells how long its calls take, how many fail, and how its connections are used.
 */
import type { Metrics } from '../../telemetry/metrics.js';
import type { Database } from './port.js';

export type DatabaseMetrics = Pick<
  Metrics,
  'databaseTime' | 'databaseFailures' | 'databaseConnections' | 'beforeScrape'
>;

/** `pool` names it in the metrics: work, lookups. */
export function measured(database: Database, metrics: DatabaseMetrics, pool: string): Database {
  const timed = async <T>(kind: 'statement' | 'transaction', work: () => Promise<T>): Promise<T> => {
    const end = metrics.databaseTime.startTimer({ pool, kind });
    try {
      return await work();
    } catch (error) {
      metrics.databaseFailures.inc({ pool });
      throw error;
    } finally {
      end();
    }
  };
  metrics.beforeScrape.push(() => {
    for (const [state, count] of Object.entries(database.connections?.() ?? {}))
      metrics.databaseConnections.set({ pool, state }, count);
  });
  return {
    ...database,
    query: (sql, values, options) => timed('statement', () => database.query(sql, values, options)),
    transaction: (run, options) => timed('transaction', () => database.transaction(run, options)),
  };
}
