/** Goes on without the counters store while it is away. */
import { Fault } from '../errors.js';
import type { Metrics } from './metrics.js';

/** Handles a rejection: of the store as null, noted in the metric, of anything else by throwing it. */
export const withoutCounters =
  (metrics: Pick<Metrics, 'storeFailures'>, onAbsence: (internal: unknown) => void = () => undefined) =>
  (error: unknown): null => {
    if (!(error instanceof Fault) || error.code !== 'STORE_UNAVAILABLE') throw error;
    metrics.storeFailures.inc({ store: 'counters' });
    onAbsence(error.details.internal);
    return null;
  };
