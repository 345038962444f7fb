/**
 * Deletes links a month after their end, of every organization.
 */
import { deadLinkDays } from '../../contract/hosted-link.js';
import type { Database } from '../../stores/database/port.js';
import {
  deleteInBatches,
  startRetentionRounds,
  type RetentionRounds,
  type RoundsDeps,
} from '../../stores/database/retention.js';

const dayMs = 86_400_000;

/** Deletes what ended too long before `nowMs`; resolves to the number of links. */
export function dropDeadLinks(database: Database, nowMs: number): Promise<number> {
  return deleteInBatches(database, {
    table: 'hosted_links',
    where: 'least(expires_at, deleted_at) < $1',
    values: [new Date(nowMs - deadLinkDays * dayMs)],
  });
}

export function startLinkRetention(deps: RoundsDeps): RetentionRounds {
  return startRetentionRounds({
    ...deps,
    what: 'links to the hosted page',
    drop: (nowMs) => dropDeadLinks(deps.database, nowMs),
  });
}
