/**
 * The consumer that carries outcomes into the history: woken by the log, and by a clock for what the log did not tell. One round at a time;
 * a failed round is logged and repeated, because the work orders stay in the database until they are done.
 */
import type { Consumer, Log } from '../../stores/log/port.js';
import type { Logger } from '../../telemetry/logger.js';
import { workOff } from './adjudication-work.js';
import { publishPending, type HistoryPublisherDeps } from './history-publisher.js';

export interface HistoryConsumerDeps extends HistoryPublisherDeps {
  readonly log: Log;
  readonly logger: Logger;
}

const sweepMs = 1_000;
const wakeBatchMax = 1_000;

export async function startHistoryConsumer(deps: HistoryConsumerDeps): Promise<Consumer> {
  let running: Promise<void> | null = null;
  let again = false;
  let stopping = false;
  let tickAtMs = deps.now();

  async function rounds(): Promise<void> {
    do {
      again = false;
      tickAtMs = deps.now();
      await workOff(deps.database, () => stopping);
      await publishPending(deps);
    } while (again && !stopping);
  }

  /** A round that begins after this call. */
  function wake(): Promise<void> {
    again = true;
    running ??= rounds()
      .catch((error: unknown) =>
        deps.logger.warn({ err: error }, 'outcomes were not carried into the history; the next round does it'),
      )
      .finally(() => (running = null));
    return running;
  }

  const consumer = await deps.log.subscribe({
    topic: 'outcomes',
    group: 'history',
    batchMax: wakeBatchMax,
    handle: wake,
  });
  const sweeper = setInterval(() => void wake(), sweepMs);
  return {
    tickAgeMs: () => Math.max(consumer.tickAgeMs(), deps.now() - tickAtMs),
    async stop() {
      stopping = true;
      clearInterval(sweeper);
      await consumer.stop();
      await running;
    },
  };
}
