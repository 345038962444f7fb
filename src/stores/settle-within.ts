/** A deadline on work of a store that knows none of its own. */
import { storeUnavailable } from '../errors.js';

/** Settles as `work` does, or rejects with StoreUnavailable after `deadlineMs`; what the work comes to after that is dropped. */
export function settleWithin<T>(work: Promise<T>, deadlineMs: number, store: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(storeUnavailable(`${store}: no answer within ${deadlineMs} ms`)), deadlineMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
