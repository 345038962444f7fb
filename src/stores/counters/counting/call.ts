/** One session on its way through everything that counts sessions: scored now, or restored with the time at which it was. */
import { bounds, hourOf, slotOf } from '../bounds.js';
import type { Namespace } from '../namespace.js';
import type { CountedSession } from '../port.js';
import { packRef, packTime, type Bytes } from './bytes.js';
import { createGuard, type Guard } from './guard.js';
import { keysOf, type Keys } from './keys.js';
import { Collected } from './step.js';

/** `device`, `token`, `sketch` and `bands` are those of the call, or known once the probe was read. */
export type Identified = Omit<CountedSession, 'token' | 'sketch' | 'bands'>;

export interface Call {
  readonly session: Identified;
  readonly keys: Keys;
  readonly nowMs: number;
  /** When the call comes; of a session that is restored, `nowMs` lies before it. */
  readonly clockMs: number;
  readonly restoring: boolean;
  readonly hour: number;
  readonly slot: number;
  /** The session and its time, packed. */
  readonly ref: Bytes;
  readonly stamp: Bytes;
  readonly refs: Refs;
  readonly writes: Collected;
  guard: Guard;
}

/** References of the session, packed. */
export interface Refs {
  readonly scope: Bytes;
  readonly address: Bytes;
  readonly prefix: Bytes;
  readonly source: Bytes | null;
  readonly respondent: Bytes | null;
  readonly device: Bytes | null;
}

export const packOrNull = (ref: string | null): Bytes | null => (ref === null ? null : packRef(ref));

export function openCall(namespace: Namespace, session: Identified, clockMs: number, restoring: boolean): Call {
  const { nowMs } = session;
  return {
    session,
    keys: keysOf(namespace, session.scope),
    nowMs,
    clockMs,
    restoring,
    hour: hourOf(nowMs),
    slot: slotOf(nowMs),
    ref: packRef(session.session),
    refs: {
      scope: packRef(session.scope),
      address: packRef(session.address),
      prefix: packRef(session.prefix),
      source: packOrNull(session.source),
      respondent: packOrNull(session.respondent),
      device: packOrNull(session.device),
    },
    stamp: packTime(nowMs),
    writes: new Collected(),
    guard: createGuard(nowMs),
  };
}

/** Whether a window that ends with the call still holds the session. */
export const within = ({ nowMs, clockMs }: Call, windowMs: number): boolean => nowMs > clockMs - windowMs;

export const isOfLastDay = (call: Call): boolean => within(call, bounds.dayMs);
