/**
 * Order on a single connection: statements flow freely until a transaction starts, which then has the connection to itself.
 * First come, first served; a job that fails frees its place all the same. Beyond `waitingMax` jobs are refused with StoreUnavailable.
 *
 *   shared   shared   [transaction]   shared ...      <- statements queued behind a transaction wait for its end
 */
import { storeUnavailable } from '../../../errors.js';

interface Waiting {
  readonly exclusive: boolean;
  readonly start: () => void;
}

export interface ExclusiveQueue {
  /** Runs at once unless a transaction runs or waits. */
  shared<T>(job: () => Promise<T>): Promise<T>;
  /** Runs once everything earlier has been handed over, and holds back everything later. */
  exclusive<T>(job: () => Promise<T>): Promise<T>;
}

/** Shared jobs are only started in order, not awaited: the connection itself answers in order. */
export function createExclusiveQueue(waitingMax: number): ExclusiveQueue {
  const waiting: Waiting[] = [];
  let isHeld = false;

  const startNext = (): void => {
    while (!isHeld && waiting.length > 0) {
      const next = waiting.shift();
      if (next?.exclusive === true) isHeld = true;
      next?.start();
    }
  };
  const turn = (exclusive: boolean): Promise<void> => {
    if (waiting.length >= waitingMax)
      return Promise.reject(storeUnavailable(`database: ${waitingMax} calls wait already`));
    return new Promise<void>((resolve) => {
      waiting.push({ exclusive, start: resolve });
      startNext();
    });
  };

  return {
    shared: (job) => (isHeld || waiting.length > 0 ? turn(false).then(job) : job()),
    exclusive: async (job) => {
      await turn(true);
      try {
        return await job();
      } finally {
        isHeld = false;
        startNext();
      }
    },
  };
}
