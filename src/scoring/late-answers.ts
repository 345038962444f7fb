/**
 * Scores that were answered without the counters because these took longer than the call waited. Their retries get the same receipt: from here
 * while this process remembers them, afterwards and in other processes from the database, for which the counters give up their copy. That copy
 * has what was counted in the end, which the answer has not.
 */
import { LRUCache } from 'lru-cache';
import type { Counters, ScoreCountInput, ScoreCountResult } from '../stores/counters/port.js';

/** About a kilobyte each. */
const answersMax = 5_000;
/** Consumers have recorded a receipt long before. */
const answerMs = 600_000;

export type LateAnswers = ReturnType<typeof createLateAnswers>;

export function createLateAnswers(counters: Pick<Counters, 'forgetReceipts'>) {
  const contents = new LRUCache<string, Uint8Array>({ max: answersMax, ttl: answerMs });
  const keyOf = ({ namespace, fingerprint }: ScoreCountInput): string => `${namespace}\n${fingerprint}`;
  return {
    /** The packed base under which the same call was answered; null if it was not. */
    find: (input: ScoreCountInput): Uint8Array | null => contents.get(keyOf(input)) ?? null,
    /** Another receipt answers the call from now on. */
    forget: (input: ScoreCountInput): void => void contents.delete(keyOf(input)),
    /** The call is answered under its own receipt, whatever becomes of `counting`. */
    note(input: ScoreCountInput, counting: Promise<ScoreCountResult>): void {
      contents.set(keyOf(input), input.content);
      const release = (): void =>
        void counters.forgetReceipts(input.namespace, [input.receiptId]).catch(() => undefined);
      // On the way to the counters behind the count, so that no retry comes between the two; and again in case it overtook it.
      release();
      counting.then(release, release);
    },
  };
}
