/**
 * Forgets which flags were raised once no session can raise them again.
 */
import type { Database } from '../stores/database/port.js';
import { startRetentionRounds, type RetentionRounds } from '../stores/database/retention.js';
import type { Logger } from '../telemetry/logger.js';
import { dropOldFlags } from './flag-store.js';

export interface FlagRetentionDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly now: () => number;
}

export const startFlagRetention = ({ database, logger, now }: FlagRetentionDeps): RetentionRounds =>
  startRetentionRounds({ logger, what: 'flags of sessions', drop: () => dropOldFlags(database, now()) });
