/**
 * One session on its way through everything that counts sessions: scored now, or restored with the time at which it was.
 */
import type { CountedSession } from '../port.js';

export interface CountingCall {
  readonly namespace: string;
  /** `device` is the one that counts: the call’s own, else the probe’s. */
  readonly session: CountedSession;
  /** When the call comes; of a session that is restored, `nowMs` lies before it. */
  readonly clockMs: number;
  readonly restoring: boolean;
  readonly firstAtMs: number;
  /** When the session was counted before, if it was. */
  readonly lastAtMs: number | null;
  /** Whether the session is new to a counter; a call asks about each once. */
  readonly admit: (counter: string) => boolean;
}

/** Whether a window that ends with the call still holds the session. */
export function within({ session, clockMs }: CountingCall, windowMs: number): boolean {
  return session.nowMs > clockMs - windowMs;
}
