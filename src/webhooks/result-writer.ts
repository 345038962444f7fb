/**
 * Writes the results of attempts, many at a time: those that come in while one batch is being written go out with the next.
 *
 * While the database is away results are kept and tried again, up to a number at which the sender stops sending. A result that cannot be kept is
 * dropped: its lease ends, and the delivery is sent again.
 */
import type { ArrivedPostback } from '../contract/postback.js';
import { createNotifier, backoffMs } from '../stores/notifier.js';
import type { Database } from '../stores/database/port.js';
import type { Logger } from '../telemetry/logger.js';
import { writeResults, type AttemptResult, type DeliveryKey } from './delivery-store.js';

export interface ResultWriterDeps {
  readonly database: Database;
  readonly logger: Logger;
  /** Called when results were written, with those. */
  readonly onWritten: (results: readonly AttemptResult[]) => void;
  /** Called with what suppliers took after its delivery was deleted. */
  readonly noteArrived: (arrived: readonly ArrivedPostback[]) => Promise<void>;
}

export type ResultWriter = ReturnType<typeof createResultWriter>;

const batchMax = 500;
const waitingMax = 10_000;
const pauseFirstMs = 100;
const pauseMsMax = 2_000;

export function createResultWriter({ database, logger, onWritten, noteArrived }: ResultWriterDeps) {
  let waiting: AttemptResult[] = [];
  let inHand = 0;
  let running: Promise<void> | null = null;
  let isClosing = false;
  const closing = createNotifier();

  const writeBatch = async (batch: readonly AttemptResult[]): Promise<void> => {
    for (let failures = 1; ; failures++) {
      try {
        const late = arrivedBesides(await writeResults(database, batch), batch);
        if (late.length > 0) await noteArrived(late);
        return onWritten(batch);
      } catch (error) {
        logger.warn({ err: error, results: batch.length, failures }, 'writing delivery results failed');
        if (isClosing) return;
        await closing.wait(backoffMs(failures, pauseFirstMs, pauseMsMax));
      }
    }
  };
  const run = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      inHand = batch.length;
      await writeBatch(batch);
      inHand = 0;
    }
    running = null;
  };

  return {
    add(result: AttemptResult): void {
      if (waiting.length >= waitingMax) return;
      waiting.push(result);
      running ??= run();
    },
    /** Results that are not written yet. */
    waiting: (): number => waiting.length + inHand,
    /** Tries once more, and waits until nothing is left or the database does not take it. */
    async close(): Promise<void> {
      isClosing = true;
      closing.notify();
      await running;
    },
  };
}

/** Postbacks that arrived though their results changed no delivery. */
function arrivedBesides(
  changed: readonly DeliveryKey[],
  results: readonly AttemptResult[],
): readonly ArrivedPostback[] {
  const keyOf = ({ webhookId, deliveryId }: DeliveryKey): string => `${webhookId} ${deliveryId}`;
  const keys = new Set(changed.map(keyOf));
  return results.flatMap((result) =>
    result.postback === undefined || keys.has(keyOf(result)) ? [] : [result.postback],
  );
}
