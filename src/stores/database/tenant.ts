/**
 * A transaction of one organization: to it, rows of others do not exist. It is the second wall behind the ownership checks of
 * the routes, held by row security in the database. Its role sees nothing where no organization is named. Receipts, outcomes, adjudications and history
 * are gone through by background work alone: to a transaction of one organization, the owner's too, they are empty.
 *
 * A superuser is exempt from row security and steps down to the role that the migration made. Where the role is missing the
 * service is an ordinary owner of its tables, whom the policies bind anyway.
 */
import pg from 'pg';
import type { Database, Queryable, TransactionCallOptions } from './port.js';

const enter = (organizationId: string): string => `
  SELECT set_config('vh.organization_id', ${pg.escapeLiteral(organizationId)}, true),
         set_config('role', coalesce((SELECT rolname::text FROM pg_roles WHERE rolname = 'verifyhuman_tenant' AND pg_has_role(oid, 'MEMBER')), 'none'), true)`;

export function inOrganization<T>(
  database: Database,
  organizationId: string,
  run: (tx: Queryable) => Promise<T>,
  { closing }: Pick<TransactionCallOptions, 'closing'> = {},
): Promise<T> {
  if (organizationId === '') throw new Error('a transaction of no organization would see all of them');
  return database.transaction(run, { opening: enter(organizationId), ...(closing === undefined ? {} : { closing }) });
}
