/**
 * The latest sessions of a scope (24 h, at most 500) and how they spread over network prefixes. The sum of squares
 * moves with each arrival and departure, so that it is exact for what the window holds and never computed over.
 */
import { bounds } from '../bounds.js';

export interface ScopeWindow {
  /** Oldest first. */
  entries: [atMs: number, prefix: string][];
  perPrefix: Map<string, number>;
  squares: number;
}

export function createScopeWindow(): ScopeWindow {
  return { entries: [], perPrefix: new Map(), squares: 0 };
}

/** Adds a session if `prefix` is given and lets go of what left the window. */
export function advanceWindow(window: ScopeWindow, nowMs: number, prefix: string | null): void {
  if (prefix !== null) {
    window.entries.push([nowMs, prefix]);
    move(window, prefix, 1);
  }
  letGo(window, nowMs);
}

/** Puts a restored session where its time belongs among those counted meanwhile; one older than all of a full window is left out. */
export function insertIntoWindow(window: ScopeWindow, nowMs: number, prefix: string): void {
  const after = window.entries.findIndex(([atMs]) => atMs > nowMs);
  if (after === 0 && window.entries.length >= bounds.neighborhoodSessionsMax) return;
  window.entries.splice(after === -1 ? window.entries.length : after, 0, [nowMs, prefix]);
  move(window, prefix, 1);
  letGo(window, nowMs);
}

function letGo(window: ScopeWindow, nowMs: number): void {
  for (;;) {
    const oldest = window.entries[0];
    if (
      oldest === undefined ||
      (oldest[0] > nowMs - bounds.neighborhoodMs && window.entries.length <= bounds.neighborhoodSessionsMax)
    )
      return;
    window.entries.shift();
    move(window, oldest[1], -1);
  }
}

function move(window: ScopeWindow, prefix: string, change: 1 | -1): void {
  const before = window.perPrefix.get(prefix) ?? 0;
  const after = before + change;
  window.squares += after * after - before * before;
  if (after === 0) window.perPrefix.delete(prefix);
  else window.perPrefix.set(prefix, after);
}
