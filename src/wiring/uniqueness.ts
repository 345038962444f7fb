/**
 * Comparison with earlier participants, as far as this process has it.
 */
import type { Uniqueness } from '../verification/uniqueness-port.js';

/** No gallery is open: nothing is compared, which the verdict tells as null, and nothing is kept that would have to be erased. */
export const openUniqueness = (): Uniqueness => ({
  compare: () => Promise.resolve({ biometric: null, device: null }),
  record: () => Promise.resolve(),
  erase: () => Promise.resolve(0),
});
