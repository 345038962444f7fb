/** How far the rebuild of a project’s counters has come, in whatever process it runs. */
import type { CounterRecoveryReply } from '../../contract/recovery.js';
import { timeOfId } from '../../crypto/ids.js';
import type { Namespace } from '../../stores/counters/namespace.js';
import type { Counters } from '../../stores/counters/port.js';
import { restoreStart } from './rebuild.js';

export interface RecoveryProgressDeps {
  readonly counters: Pick<Counters, 'checkComplete' | 'rebuiltDownTo'>;
  readonly now: () => number;
}

export type ReadRecovery = (namespace: Namespace) => Promise<CounterRecoveryReply>;

export function createRecoveryProgress({ counters, now }: RecoveryProgressDeps): ReadRecovery {
  return async (namespace) => {
    const nowMs = now();
    const generatedAt = new Date(nowMs).toISOString();
    const { isComplete, keptUpToMs } = await counters.checkComplete(namespace);
    const cursor = isComplete ? null : await counters.rebuiltDownTo(namespace);
    const restoredMs = cursor === null ? null : timeOfId('receipt', cursor);
    if (restoredMs === null)
      return { generatedAt, state: isComplete ? 'complete' : 'unchecked', restoredSince: null, restoresSince: null };
    return {
      ...{ generatedAt, state: 'rebuilding' },
      restoredSince: new Date(restoredMs).toISOString(),
      restoresSince: new Date(restoreStart(nowMs, keptUpToMs)).toISOString(),
    };
  };
}
