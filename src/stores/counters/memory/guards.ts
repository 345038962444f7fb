/**
 * What is remembered of a session for 48 h after it was scored last: which counters it was counted in, so that each
 * counts it once, and which bodies it was scored with, so that an identical retry finds its receipt.
 */
import { bounds } from '../bounds.js';

export interface Guard {
  /** When the session was scored first. */
  firstAtMs: number;
  lastAtMs: number;
  /** The counters’ names, each ended by a semicolon. */
  counted: string;
  /** Latest first. */
  replays: { readonly fingerprint: string; readonly version: string; readonly receiptId: string; readonly atMs: number }[];
}

export function createGuard(nowMs: number): Guard {
  return { firstAtMs: nowMs, lastAtMs: nowMs, counted: '', replays: [] };
}

/** Whether the session is new to a counter, which it then is no longer. With a full list it is new to none. */
export function admit(guard: Guard, counter: string): boolean {
  const label = `${counter};`;
  if (guard.counted.includes(label) || guard.counted.length + label.length > bounds.guardLengthMax) return false;
  guard.counted += label;
  return true;
}

/** The receipt of the same body with the same probe, while it is kept. */
export function findReplay(guard: Guard | undefined, fingerprint: string, version: string, nowMs: number): string | null {
  const replay = guard?.replays.find((known) => known.fingerprint === fingerprint && known.version === version);
  return replay !== undefined && replay.atMs > nowMs - bounds.receiptMs ? replay.receiptId : null;
}

export function noteReplay(guard: Guard, fingerprint: string, version: string, receiptId: string, atMs: number): void {
  guard.replays = guard.replays.filter((known) => known.fingerprint !== fingerprint || known.version !== version);
  guard.replays.unshift({ fingerprint, version, receiptId, atMs });
  guard.replays.length = Math.min(guard.replays.length, bounds.replaysMax);
}
