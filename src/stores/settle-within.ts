/** A deadline on work of a store that knows none of its own, and an end to the waiting for it. */
import { storeUnavailable } from '../errors.js';

/** Settles as `work` does, or rejects with StoreUnavailable after `deadlineMs`; what the work comes to after that is dropped. */
export function settleWithin<T>(work: Promise<T>, deadlineMs: number, store: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(storeUnavailable(`${store}: no answer within ${deadlineMs} ms`)), deadlineMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Settles as `work` does, or rejects with the reason of `stop` as soon as that is aborted; what the work comes to after that is dropped. */
export function settleUntil<T>(stop: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (stop === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const giveUp = (): void => reject(stop.reason as Error);
    if (stop.aborted) giveUp();
    stop.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', giveUp));
  });
}
