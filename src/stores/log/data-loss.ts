/**
 * Entries that were deleted before a group read them: their retention ended while the group was behind. Reading goes on with the oldest entry that is
 * left, and the number of missing entries is counted and logged as an error.
 */
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';

export interface DataLoss {
  readonly topic: string;
  readonly group: string;
  readonly entries: number;
}

export type OnDataLoss = (loss: DataLoss) => void;

export function createDataLossReporter(logger: Logger, metrics: Pick<Metrics, 'logLost'>): OnDataLoss {
  return ({ topic, group, entries }) => {
    metrics.logLost.inc({ group }, entries);
    logger.error(
      { topic, group, entries },
      'entries of the log were deleted before they were read: their retention is shorter than the group was behind',
    );
  };
}
