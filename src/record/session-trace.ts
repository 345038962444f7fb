/**
 * What the counters are told of a session, by references only; kept with the receipt, so that lost counters can be counted again.
 */
import type { CountedSession } from '../stores/counters/port.js';

export type SessionTrace = Omit<CountedSession, 'token' | 'sketch' | 'bands'>;
