/**
 * The guard of a session, for 48 h after it was scored last: which counters have it, so that each counts it once, and which bodies it was scored with,
 * so that an identical retry finds its receipt. A session counts in at most `bounds.guardCountersMax` counters.
 */
import { bounds } from '../bounds.js';
import { joinParts, packTime, splitParts, timeAt, timeBytes, tokenBytes, u8, u8At, type Bytes } from './bytes.js';
import { payloadOf } from './step.js';

export interface Replay {
  readonly fingerprint: string;
  /** The probe’s. */
  readonly version: Bytes;
  readonly receiptId: string;
  readonly atMs: number;
}

export interface Guard {
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** Names of counters. */
  counted: Bytes;
  /** Latest first. */
  replays: readonly Replay[];
}

export const createGuard = (nowMs: number): Guard => ({ firstAtMs: nowMs, lastAtMs: nowMs, counted: '', replays: [] });

const headBytes = 3 * timeBytes + 1;

/** The guard for a call at `clockMs` about the session at `nowMs`: an expired one counts as none. */
export function readGuard(value: Bytes | null | undefined, nowMs: number, clockMs: number): Guard {
  const payload = payloadOf(value);
  if (payload === '') return createGuard(nowMs);
  const lastAtMs = timeAt(payload, timeBytes);
  if (nowMs - lastAtMs >= bounds.guardMs || clockMs - timeAt(payload, 2 * timeBytes) >= bounds.guardMs)
    return createGuard(nowMs);
  const countedEnd = headBytes + u8At(payload, headBytes - 1) * tokenBytes;
  const parts = splitParts(payload, countedEnd);
  const replays: Replay[] = [];
  for (let i = 0; i + 3 < parts.length; i += 4) {
    const [fingerprint = '', version = '', receiptId = '', at = ''] = parts.slice(i, i + 4);
    replays.push({ fingerprint, version, receiptId, atMs: timeAt(at, 0) });
  }
  const firstAtMs = Math.min(timeAt(payload, 0), nowMs);
  return { firstAtMs, lastAtMs, counted: payload.slice(headBytes, countedEnd), replays };
}

export function packGuard({ firstAtMs, lastAtMs, counted, replays }: Guard, nowMs: number, clockMs: number): Bytes {
  const last = Math.max(lastAtMs, nowMs);
  const times = packTime(firstAtMs) + packTime(last) + packTime(Math.max(last, clockMs));
  let packed = times + u8(counted.length / tokenBytes) + counted;
  for (const { fingerprint, version, receiptId, atMs } of replays)
    packed += joinParts([fingerprint, version, receiptId, packTime(atMs)]);
  return packed;
}

/** Whether the session is new to a counter of that name, which it then is no longer. With a full list it is new to none. */
export function admit(guard: Guard, token: Bytes): boolean {
  for (let at = guard.counted.indexOf(token); at !== -1; at = guard.counted.indexOf(token, at + 1))
    if (at % tokenBytes === 0) return false;
  if (guard.counted.length >= bounds.guardCountersMax * tokenBytes) return false;
  guard.counted += token;
  return true;
}

/** When and with which receipt the same body was scored with the same probe, while that is kept. */
export function findReplay({ replays }: Guard, fingerprint: string, version: Bytes, nowMs: number): Replay | null {
  const replay = replays.find((known) => known.fingerprint === fingerprint && known.version === version);
  return replay !== undefined && replay.atMs > nowMs - bounds.receiptMs ? replay : null;
}

export function noteReplay(guard: Guard, replay: Replay): void {
  const replays = [replay];
  for (const known of guard.replays)
    if (
      replays.length < bounds.replaysMax &&
      (known.fingerprint !== replay.fingerprint || known.version !== replay.version)
    )
      replays.push(known);
  guard.replays = replays;
}
