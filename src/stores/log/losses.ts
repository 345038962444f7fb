/**
 * Entries that were gone before a group had read them: deleted at the end of their retention, while the group was behind. Reading goes on with
 * the oldest that is left, and what is missing is told with its number, as an error.
 */
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';

export interface Loss {
  readonly topic: string;
  readonly group: string;
  readonly entries: number;
}

export type TellLoss = (loss: Loss) => void;

export function createTellLoss(logger: Logger, metrics: Pick<Metrics, 'logLost'>): TellLoss {
  return ({ topic, group, entries }) => {
    metrics.logLost.inc({ group }, entries);
    logger.error(
      { topic, group, entries },
      'entries of the log were deleted before they were read: their retention is shorter than the group was behind',
    );
  };
}
