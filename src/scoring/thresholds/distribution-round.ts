/**
 * Keeps the score distribution up: works off its orders every second and deletes what is past its retention every hour. The recorder of receipts
 * counts new scores. A round that is killed is repeated, and counts once.
 */
import type { Consumer } from '../../stores/log/port.js';
import type { Database } from '../../stores/database/port.js';
import type { Logger } from '../../telemetry/logger.js';
import { dropExpiredDistribution } from './distribution-retention.js';
import { createLabelWork } from './label-work.js';

export interface DistributionRoundDeps {
  readonly database: Database;
  readonly logger: Logger;
  /** Days that sessions are kept: as long as their receipts. */
  readonly retentionDays: number;
}

const sweepEveryMs = 1_000;
const retainEveryMs = 3_600_000;

export function startDistributionRounds({ database, logger, retentionDays }: DistributionRoundDeps): Consumer {
  const orders = createLabelWork({ database, logger });
  let sweptAtMs = performance.now();
  let retainedAtMs = performance.now();
  let sweeping: Promise<void> | null = null;
  let isStopping = false;
  async function round(): Promise<void> {
    while (!isStopping && (await orders.next()) > 0);
    if (performance.now() - retainedAtMs < retainEveryMs) return;
    retainedAtMs = performance.now();
    await dropExpiredDistribution(database, retentionDays, () => isStopping);
  }
  const sweep = (): void => {
    sweeping ??= round()
      .then(
        () => void (sweptAtMs = performance.now()),
        (error: unknown) =>
          logger.warn({ err: error }, 'the score distribution was not kept up; the next round does it'),
      )
      .finally(() => (sweeping = null));
  };
  const timer = setInterval(sweep, sweepEveryMs);
  return {
    tickAgeMs: () => performance.now() - sweptAtMs,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}
