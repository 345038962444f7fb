/**
 * When which key of vh_token signs and is published. Pure: the same keys and the same time give the same plan on every instance.
 *
 *     next ──2 h published──▶ current ──its time is over──▶ previous ──longest token lifetime + 1 h──▶ gone
 *
 * Verifiers keep the key set for an hour, so that a key is known to them before it signs, and for as long as its tokens live.
 */
import { studyTokenSeconds } from '../../limits.js';
import { tokenLifetimeSeconds } from './claims.js';

export const publishAheadMs = 2 * 3_600_000;
export const keepMs = Math.max(tokenLifetimeSeconds, studyTokenSeconds) * 1_000 + 3_600_000;

export interface KeyTimes {
  readonly generation: number;
  readonly signsFromMs: number;
}

export interface KeyPlan<K extends KeyTimes> {
  /** null where there is no key at all, or none whose time has come. */
  readonly current: K | null;
  readonly published: readonly K[];
  /** The key that has to be made now, or null. */
  readonly due: KeyTimes | null;
  /** Generations up to this one are of no use any more. */
  readonly goneUpTo: number;
}

export function planKeys<K extends KeyTimes>(keys: readonly K[], rotationMs: number, nowMs: number): KeyPlan<K> {
  const ordered = [...keys].sort((a, b) => a.generation - b.generation);
  const started = ordered.filter((key) => key.signsFromMs <= nowMs);
  const current = started.at(-1) ?? null;
  const newest = ordered.at(-1) ?? null;
  const gone = started.filter((_, index) => {
    const successor = started[index + 1];
    return successor !== undefined && successor.signsFromMs + keepMs <= nowMs;
  });
  return {
    current,
    published: ordered.filter((key) => !gone.includes(key)),
    due: dueKey(newest, rotationMs, nowMs),
    goneUpTo: gone.at(-1)?.generation ?? 0,
  };
}

function dueKey(newest: KeyTimes | null, rotationMs: number, nowMs: number): KeyTimes | null {
  // The very first signs at once: nobody has cached a set without it.
  if (newest === null) return { generation: 1, signsFromMs: nowMs };
  if (nowMs < newest.signsFromMs + rotationMs - publishAheadMs) return null;
  return { generation: newest.generation + 1, signsFromMs: nowMs + publishAheadMs };
}
