/**
 * The guard of a session, for 48 h after it was scored last: which counters it was counted in, so that each
 * counts it once, and which bodies it was scored with, so that an identical retry finds its receipt.
 */
import { bounds } from '../bounds.js';
import type { ScoreCountInput } from '../port.js';
import type { Keyspace } from './keyspace.js';

export interface Guard {
  /** When the session was scored first. */
  firstAtMs: number;
  lastAtMs: number;
  /** The counters’ names, each ended by a semicolon. */
  counted: string;
  /** Latest first. */
  replays: {
    readonly fingerprint: string;
    readonly version: string;
    readonly receiptId: string;
    readonly atMs: number;
  }[];
}

export function createGuard(nowMs: number): Guard {
  return { firstAtMs: nowMs, lastAtMs: nowMs, counted: '', replays: [] };
}

/** The counters that one call asks about, each once. They are written to the guard together: a text that grows piece by piece stays in pieces. */
export interface Admissions {
  /** Whether the session is new to a counter, which it then is no longer. With a full list it is new to none. */
  readonly admit: (counter: string) => boolean;
  readonly settle: () => void;
}

export function createAdmissions(guard: Guard): Admissions {
  const labels: string[] = [];
  let length = guard.counted.length;
  return {
    admit: (counter) => {
      const label = `${counter};`;
      if (guard.counted.includes(label) || length + label.length > bounds.guardLengthMax) return false;
      labels.push(label);
      length += label.length;
      return true;
    },
    settle: () => void (guard.counted += labels.join('')),
  };
}

/** When and with which receipt the same body was scored with the same probe, while that is kept. */
export function findReplay(
  guard: Guard | undefined,
  fingerprint: string,
  version: string,
  nowMs: number,
): Guard['replays'][number] | null {
  const replay = guard?.replays.find((known) => known.fingerprint === fingerprint && known.version === version);
  return replay !== undefined && replay.atMs > nowMs - bounds.receiptMs ? replay : null;
}

export function noteReplay(guard: Guard, fingerprint: string, version: string, receiptId: string, atMs: number): void {
  const others = guard.replays.filter((known) => known.fingerprint !== fingerprint || known.version !== version);
  guard.replays = [{ fingerprint, version, receiptId, atMs }, ...others.slice(0, bounds.replaysMax - 1)];
}

interface Promised {
  readonly fingerprint: string;
  readonly receiptId: string;
  /** When the receipt was given. */
  readonly atMs: number;
}

type Call = Pick<ScoreCountInput, 'namespace' | 'nowMs' | 'fingerprint' | 'idempotency'>;

/** Finds the body and the receipt of an idempotency key. */
export function createIdempotency(keyspace: Keyspace) {
  const keys = keyspace.table<Promised>('idempotency');
  return {
    find: ({ namespace, nowMs, idempotency }: Call): Promised | undefined =>
      idempotency == null ? undefined : keys.get(`${namespace}:${idempotency}`, nowMs),
    note: (
      { namespace, fingerprint, idempotency }: Call,
      { receiptId, atMs }: Pick<Promised, 'receiptId' | 'atMs'>,
    ): void => {
      if (idempotency != null)
        keys.set(`${namespace}:${idempotency}`, { fingerprint, receiptId, atMs }, atMs, bounds.receiptMs);
    },
  };
}
