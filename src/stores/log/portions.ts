/**
 * Hands a batch to its handler in portions that its stores can take. Whole at first; when one fails with a store, the batch comes again in a
 * quarter of the portion, for it may be a deadline that so much does not fit in. Handlers may be given anything twice, so that a batch that fails in the
 * middle is begun anew; its portions grow again only once all of it is taken.
 */
import { isUnavailable } from '../../errors.js';
import { createBatchSize } from '../database/batch-size.js';
import type { Subscription } from './port.js';

export function inPortions(handle: Subscription['handle']): Subscription['handle'] {
  const size = createBatchSize(Infinity);
  return async (entries, signal) => {
    try {
      const most = Math.min(entries.length, size.current());
      for (let from = 0; from < entries.length; from += most) await handle(entries.slice(from, from + most), signal);
      size.succeeded();
    } catch (error) {
      if (isUnavailable(error)) size.failed(entries.length);
      throw error;
    }
  };
}
