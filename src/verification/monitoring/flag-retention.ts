/**
 * Forgets which flags were raised once no session can raise them again.
 */
import { startRetentionRounds, type RetentionRounds, type RoundsDeps } from '../../stores/database/retention.js';
import { dropOldFlags } from './flag-store.js';

export const startFlagRetention = (deps: RoundsDeps): RetentionRounds =>
  startRetentionRounds({ ...deps, what: 'flags of sessions', drop: (nowMs) => dropOldFlags(deps.database, nowMs) });
