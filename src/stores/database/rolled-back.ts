/**
 * Work that the server rolled back because it stood in another's way (SQLSTATE class 40: a deadlock, a failed serialization) did nothing
 * and is tried again, a little later each time. Where the last try ends like that too, it rejects with StoreUnavailable. Any other
 * failure is passed on at once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { storeUnavailable } from '../../errors.js';

/** 40003 is none of them: whether the work was done is not known then. */
const retried = /^40(?!003)[0-9A-Z]{3}$/;
/** Waits before the second try and those after it. */
const pausesMs = [20, 80, 320];

export async function retryRolledBack<T>(store: string, attempt: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRolledBack(error)) throw error;
      await pause(pauseMs);
    }
  }
  return attempt().catch((error: unknown) => {
    throw isRolledBack(error) ? storeUnavailable(`${store}: ${String(error)}`, error) : error;
  });
}

/** What a body of a transaction rejects with to have it rolled back and run again, as if the server had found it in another's way. */
export const startOver = (reason: string): Error => Object.assign(new Error(reason), { code: '40001' });

function isRolledBack(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && retried.test(error.code);
}
