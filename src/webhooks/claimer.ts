/**
 * Leases what is due in the database for this process’s sender: retries, what the fan-out left, what an owner started again, and what a sender
 * that died had leased. Endpoints share the places evenly; each round goes on where the last one ended.
 *
 * Looks when woken, when the sender has room again, and every half second. A round that fails is repeated after a pause.
 */
import { createNotifier, backoffMs } from '../stores/notifier.js';
import type { Logger } from '../telemetry/logger.js';
import { lanes } from './delivery-queue.js';
import { createLeasing, placesWorth, type LeasingDeps } from './leasing.js';

export interface ClaimerDeps extends LeasingDeps {
  readonly logger: Logger;
  readonly pollMs?: number;
}

export interface Claimer {
  /** Something is due. */
  wake(): void;
  /** Something will be due in so many milliseconds. */
  wakeIn(ms: number): void;
  /** The sender has room: worth a look if something waits. */
  roomMade(): void;
  /** Whether deliveries of the endpoint are known to wait in the database. */
  isBehind(webhookId: string): boolean;
  noteLeft(webhookId: string): void;
  stop(): Promise<void>;
}

const pollMsDefault = 500;
const pauseMsMax = 2_000;

export function createClaimer({
  database,
  sender,
  logger,
  leaseMs,
  clock,
  pollMs = pollMsDefault,
}: ClaimerDeps): Claimer {
  const work = createNotifier();
  const leasing = createLeasing({ database, sender, leaseMs, clock });
  let isStopping = false;
  let failures = 0;
  let timer: { readonly atMs: number; readonly handle: NodeJS.Timeout } | null = null;

  const loop = async (): Promise<void> => {
    while (!isStopping) {
      let hasMore = false;
      try {
        for (const lane of lanes) hasMore = (await leasing.claim(lane)) || hasMore;
        failures = 0;
      } catch (error) {
        failures++;
        logger.warn({ err: error, failures }, 'due deliveries were not leased; it is tried again');
      }
      if (failures > 0) await work.wait(backoffMs(failures, pollMs, pauseMsMax));
      else if (!hasMore) await work.wait(pollMs);
    }
  };
  const running = loop();

  return {
    wake: () => work.notify(),
    wakeIn(ms) {
      const atMs = clock() + ms;
      if (isStopping || (timer !== null && timer.atMs <= atMs)) return;
      if (timer !== null) clearTimeout(timer.handle);
      const handle = setTimeout(() => {
        timer = null;
        work.notify();
      }, ms + 2);
      timer = { atMs, handle };
    },
    roomMade() {
      const isWorth =
        (leasing.behind.size > 0 && sender.places('first') >= placesWorth) ||
        (leasing.retryWaits() && sender.places('retry') >= placesWorth);
      if (isWorth) work.notify();
    },
    isBehind: (webhookId) => leasing.behind.has(webhookId),
    noteLeft: (webhookId) => void leasing.behind.add(webhookId),
    async stop() {
      isStopping = true;
      if (timer !== null) clearTimeout(timer.handle);
      work.notify();
      await running;
    },
  };
}
