/**
 * Sends the deliveries that this process has leased.
 *
 *   held ──its endpoint’s turn──▶ sending ──answered, or the deadline passed──▶ result handed to the writer
 *     └──its lease is running out, or its webhook is gone──▶ dropped: whoever leases it next looks again
 *
 * First attempts and repetitions have separate slots. While first attempts go out, repetitions are rate-limited, so that a backlog of them
 * does not delay new deliveries. Nothing here throws: whatever happens to an attempt, its lease ends by itself.
 */
import type { Metrics } from '../telemetry/metrics.js';
import { createAttempt, type AttemptDeps, type LeasedDelivery } from './attempt.js';
import { createDeliveryQueue, type Lane } from './delivery-queue.js';
import { createRetryPace, nextConcurrency } from './pacing.js';

export interface SenderDeps extends AttemptDeps {
  readonly metrics: Pick<Metrics, 'webhookAttempts' | 'webhookInFlight'>;
}

export type Sender = ReturnType<typeof createSender>;

/** An organization alone gets half of them. */
const places = { first: { sending: 512, holding: 1_024 }, retry: { sending: 128, holding: 256 } } as const;
/** Unwritten results at which nothing more is sent. */
const unwrittenMax = 2_000;

export function createSender(deps: SenderDeps) {
  const { logger, metrics, clock, results } = deps;
  const queue = createDeliveryQueue<LeasedDelivery>(places);
  const running = new Set<Promise<void>>();
  const unused: LeasedDelivery[] = [];
  const stopping = new AbortController();
  const pace = createRetryPace(clock);
  const attempt = createAttempt(deps);
  let listener = (): void => undefined;
  let pumpSoon: NodeJS.Timeout | null = null;

  const pump = (): void => {
    if (stopping.signal.aborted) return;
    const isBlocked = results.waiting() > unwrittenMax;
    for (const lane of ['first', 'retry'] as const) {
      while (!isBlocked && (lane === 'first' || pace.mayRetry())) {
        const item = queue.take(lane);
        if (item === undefined) break;
        pace.noteStart(lane);
        start(item);
      }
    }
    metrics.webhookInFlight.set(queue.active());
    // Held back by the pace or the writer, not by the endpoints: nobody else would call again.
    if ((isBlocked && queue.waiting('first') > 0) || queue.waiting('retry') > 0)
      pumpSoon ??= setTimeout(() => {
        pumpSoon = null;
        pump();
      }, 20);
  };
  const start = (item: LeasedDelivery): void => {
    const work = attempt(item, stopping.signal)
      .catch((error: unknown) => {
        logger.error(
          { err: error, webhookId: item.webhookId, deliveryId: item.deliveryId },
          'sending a delivery failed',
        );
        return 'dropped' as const;
      })
      .then((outcome) => {
        if (outcome === 'aborted') unused.push(item);
        queue.done(item, item.lane, (limit) =>
          typeof outcome === 'string' ? limit : nextConcurrency(limit, outcome.status, outcome.durationMs),
        );
      })
      .finally(() => {
        running.delete(work);
        pump();
        listener();
      });
    running.add(work);
  };

  return {
    hold(item: LeasedDelivery): void {
      deps.trace?.('held', item);
      queue.offer(item, item.lane, item);
      pump();
    },
    /** How many more deliveries of the endpoint are worth leasing. */
    room: (webhookId: string): number => queue.room(webhookId),
    /** How many more of a lane are worth leasing: of one organization, or of all. */
    places: (lane: Lane, organizationId?: string): number => queue.places(lane, organizationId),
    /** Called whenever there is room again. */
    onRoom: (next: () => void): void => void (listener = next),
    /** Ends what is under way within the time, and answers what is left: leases to give back. */
    async stop(deadlineMs: number): Promise<readonly LeasedDelivery[]> {
      if (pumpSoon !== null) clearTimeout(pumpSoon);
      const held = queue.drain();
      const timer = setTimeout(() => stopping.abort(), deadlineMs);
      await Promise.all(running);
      clearTimeout(timer);
      stopping.abort();
      return [...held, ...unused];
    },
  };
}
