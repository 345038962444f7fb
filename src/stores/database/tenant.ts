/**
 * A transaction of one organization, which sees only its rows: row security in the database, behind the ownership checks of the routes.
 * Receipts, outcomes, adjudications and history are for background work and look empty in it. A superuser steps down to the role that the
 * migration made; without that role, the policies bind the service as the owner of its tables.
 */
import pg from 'pg';
import type { Database, Queryable, TransactionCallOptions } from './port.js';

/** A wait for a lock holds a connection: beyond this the transaction is rolled back, and repeated after a pause (shares.ts). */
const lockTimeoutMs = 100;

const enter = (organizationId: string): string => `
  SELECT set_config('vh.organization_id', ${pg.escapeLiteral(organizationId)}, true),
         set_config('lock_timeout', '${lockTimeoutMs}', true),
         set_config('role', coalesce((SELECT rolname::text FROM pg_roles WHERE rolname = 'verifyhuman_tenant' AND pg_has_role(oid, 'MEMBER')), 'none'), true)`;

export function inOrganization<T>(
  database: Database,
  organizationId: string,
  run: (tx: Queryable) => Promise<T>,
  options: Pick<TransactionCallOptions, 'closing' | 'line'> = {},
): Promise<T> {
  if (organizationId === '') throw new Error('a transaction of no organization would see all of them');
  return database.transaction(run, { ...options, opening: enter(organizationId), tenant: organizationId });
}
