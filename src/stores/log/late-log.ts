/**
 * A log that could not be opened yet. Until it opens, appends and pings reject with StoreUnavailable, and readers wait to subscribe; opening
 * is tried again and again in the background. From then on everything goes to the log itself.
 */
import { storeUnavailable } from '../../errors.js';
import type { Logger } from '../../telemetry/logger.js';
import { causeOf } from '../store-report.js';
import type { Consumer, Log, Subscription } from './port.js';
import { createWake, pauseAfter } from './wake.js';

export interface LateLogOptions {
  readonly open: () => Promise<Log>;
  readonly logger: Logger;
  readonly now: () => number;
  /** How long the caller waits for the log to open at once. */
  readonly patienceMs: number;
}

const pauseFirstMs = 500;
const pauseMsMax = 5_000;

/** Resolves when the log is open, or after `patienceMs` all the same. */
export async function openLateLog({ open, logger, now, patienceMs }: LateLogOptions): Promise<Log> {
  let log: Log | null = null;
  let isClosed = false;
  let problem: unknown = null;
  const closed = createWake();
  const openAtLast = async (): Promise<void> => {
    for (let failures = 1; log === null && !isClosed; failures++) {
      try {
        log = await open();
        if (isClosed) await log.close();
      } catch (error) {
        problem = error;
        logger.warn({ err: error, failures }, 'the log is away; it is opened when it is back');
        await closed.wait(pauseAfter(failures, pauseFirstMs, pauseMsMax));
      }
    }
  };
  const opening = openAtLast();
  let patience: NodeJS.Timeout | undefined;
  await Promise.race([opening, new Promise((resolve) => (patience = setTimeout(resolve, patienceMs)))]);
  clearTimeout(patience);
  const away = (): Promise<never> =>
    Promise.reject(
      storeUnavailable(
        `log: away since this process started${problem === null ? '' : `: ${causeOf(problem)}`}`,
        problem,
      ),
    );

  return {
    append: (topic, entries) => log?.append(topic, entries) ?? away(),
    progress: (topic, group) => log?.progress(topic, group) ?? away(),
    ping: () => log?.ping() ?? away(),
    subscribe: async (subscription) =>
      log?.subscribe(subscription) ??
      subscribeLater(
        opening.then(() => (isClosed ? null : log)),
        subscription,
        now,
      ),
    close: async () => {
      isClosed = true;
      closed.wake();
      await log?.close();
    },
  };
}

/** A reader that has nothing to read yet; its age grows until it has. */
function subscribeLater(opened: Promise<Log | null>, subscription: Subscription, now: () => number): Consumer {
  const sinceMs = now();
  let isStopped = false;
  let consumer: Consumer | null = null;
  void opened.then(async (log) => {
    if (!isStopped && log !== null) consumer = await log.subscribe(subscription);
    if (isStopped) await consumer?.stop();
  });
  return {
    tickAgeMs: () => consumer?.tickAgeMs() ?? now() - sinceMs,
    stop: async () => {
      isStopped = true;
      await consumer?.stop();
    },
  };
}
