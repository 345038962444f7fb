/**
 * A log that measures how far behind the groups of this process are, in entries, from time to time. While the log is away, the last figure
 * stands.
 */
import type { Metrics } from '../../telemetry/metrics.js';
import { startRounds } from '../rounds.js';
import type { Log, Subscription } from './port.js';

export interface LagLogDeps {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'logLag' | 'logLost'>;
  /** How often it looks, in milliseconds. */
  readonly everyMs?: number;
}

const everyMsDefault = 10_000;

export function withLag({ log, metrics, everyMs = everyMsDefault }: LagLogDeps): Log {
  const groups = new Set<Pick<Subscription, 'topic' | 'group'>>();
  const look = async (): Promise<void> => {
    for (const { topic, group } of groups) {
      const partitions = await log.progress(topic, group);
      // Entries that expired unread count as lag, too.
      metrics.logLag.set(
        { group },
        partitions.reduce((sum, { next, end }) => sum + Math.max(0, end - next), 0),
      );
    }
  };
  const rounds = startRounds({ everyMs, work: look });
  return {
    ...log,
    subscribe: async (subscription) => {
      const consumer = await log.subscribe(subscription);
      groups.add(subscription);
      // There before the first loss, so that one is a rise.
      metrics.logLost.inc({ group: subscription.group }, 0);
      rounds.wake();
      const stop = (): Promise<void> => {
        groups.delete(subscription);
        return consumer.stop();
      };
      return { tickAgeMs: () => consumer.tickAgeMs(), stop };
    },
    close: () => {
      void rounds.stop();
      return log.close();
    },
  };
}
