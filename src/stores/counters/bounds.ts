/**
 * The windows, caps and lifetimes of the counters, with the order of candidates, the cells of terms, and rate limits.
 * The Redis scripts receive these as literals in their prelude.
 */
import { probeKeepSeconds, recentReceiptKeepSeconds, updateKeepSeconds } from '../../limits.js';
import type { DeviceSketch, DuplicateCandidate } from '../../contract/facts.js';
import { hashText } from '../../contract/hash.js';
import type { RateState } from '../../contract/rate.js';
import type { RateLimit } from './port.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export const bounds = {
  /** Width of the narrow buckets (windows of an hour) and how many of them a window has. */
  slotMs: 5 * minuteMs,
  slotsPerHour: 12,
  hourMs,
  hoursPerDay: 24,
  dayMs,
  weekMs: 7 * dayMs,
  /** Distinct members kept exactly; a capped set answers at most this. */
  distinctCap: 128,
  /** How long a session is remembered, so that it counts once; longer than any bucket counter looks back. */
  guardMs: 2 * dayMs,
  /** Counters that may have a session; one that changes its identifiers beyond it counts no more. */
  guardCountersMax: 64,
  /** Scored bodies of a session whose identical retry is recognised. */
  replaysMax: 8,
  probeMs: probeKeepSeconds * 1_000,
  updateMs: updateKeepSeconds * 1_000,
  /** Page loads kept of one session, and the bytes from which all but the first, the newest and the most suspicious are let go. */
  pagesMax: 8,
  pagesBytesMax: 65_536,
  /** Marks of input kept of a project and day, beyond which the older are let go; sessions kept under one; groups in which the same input agrees. */
  movementMarksMax: 100_000,
  movementSessionsMax: 8,
  movementGroupsMin: 3,
  receiptMs: recentReceiptKeepSeconds * 1_000,
  /** A probe outlives the receipts that name its messages, also by clocks that disagree. */
  heldMs: recentReceiptKeepSeconds * 1_000 + 2 * hourMs,
  /** A receipt keeps this much life once the database has it: retries come within minutes, and the database answers later ones. */
  recordedReceiptMs: 10 * minuteMs,
  /** A signature expires within 24 h; one more hour for clocks that disagree. */
  signatureMs: 25 * hourMs,
  bandsMax: 20,
  termsMax: 64,
  candidatesMax: 32,
  /** At most so many candidates may merely come from the same address, or look alike. */
  addressMax: 4,
  similarMax: 8,
  /** How long a session is found by its respondent, device or token. */
  candidateMs: 30 * dayMs,
  /** How long a session is found by an address that strangers do not share, among devices of its class. */
  addressMs: 7 * dayMs,
  /** How long a session is found by similarity alone. */
  similarMs: dayMs,
  /** Latest sessions kept under one band. */
  bandSessionsMax: 8,
  /** Sessions of a scope after which the older half of its bands is let go, however young. */
  bandGenerationSessions: 10_000,
  /** Latest sessions kept under a device, a respondent or an address; one more than a hub may have. */
  linkMembersMax: 51,
  /** A link with more members in the window is a hub and links nobody together. */
  hubMembers: 50,
  addressLinkMs: 10 * minuteMs,
  /** Tie keys remembered of one session. */
  linksMax: 8,
  neighborhoodMs: dayMs,
  /** The neighborhood looks at the latest sessions of the scope only. */
  neighborhoodSessionsMax: 500,
  /** Other sessions visited from one session. */
  visitedMax: 64,
  /** Places remembered of a person, and for how long: a day, and that of a session restored into it. */
  personPlacesMax: 32,
  personMs: 3 * dayMs,
  baselineAlpha: 0.1,
  hoursPerWeek: 168,
  /** Weeks after which an hour of the week speaks for itself. */
  baselineOwnHours: 3,
  /** How long a subject’s published history is kept after the latest write. */
  historyMs: 400 * dayMs,
  /** How long a project counts as complete after it was scored last, and how old that mark may get before a call renews it. */
  completeMs: 2 * dayMs,
  completeRenewMs: hourMs,
  /** How long an instance that rebuilds a project keeps others from it, unless it says again that it is at it. */
  claimMs: 60_000,
  /** Sessions restored by one call of the port. */
  restoreMax: 500,
  /** Term frequencies: cells of a week, and the largest count of a cell. */
  termCells: 32_768,
  termCountMax: 16_777_215,
} as const;

/** Index of the narrow bucket that holds a time. */
export function slotOf(nowMs: number): number {
  return Math.floor(nowMs / bounds.slotMs);
}

/** Index of the hour that holds a time. */
export function hourOf(nowMs: number): number {
  return Math.floor(nowMs / bounds.hourMs);
}

/** The order of candidates in every adapter: latest first, then by reference. */
const inOrder = (atMs: number, session: string, otherMs: number, other: string): number =>
  otherMs - atMs || (session < other ? -1 : 1);

export function sortCandidates(candidates: DuplicateCandidate[]): DuplicateCandidate[] {
  return candidates.sort((a, b) => inOrder(a.atMs, a.session, b.atMs, b.session));
}

/** The cells of a sketch’s terms, null if unknown. Terms that share a cell look more common, which only weakens a match (docs/internals/adr/0001). */
export function locateTerms(sketch: DeviceSketch): (number | null)[] {
  return sketch.terms
    .slice(0, bounds.termsMax)
    .map((term, component) => (term === null ? null : hashText(`${component}:${term}`) % bounds.termCells));
}

/** Number of the window, aligned to the epoch, that holds a time. */
export function windowOf(limit: RateLimit, nowMs: number): number {
  return Math.floor(nowMs / (limit.windowSeconds * 1_000));
}

/** The key of a limit’s window, within its tag. */
export function rateKeyOf(limit: RateLimit, nowMs: number): string {
  return `${limit.key}:${limit.windowSeconds}:${windowOf(limit, nowMs)}`;
}

/**
 * The state after the call. If refused, it names the exhausted limit that lasts longest, so that Retry-After is enough. Without limits, 0
 * remain.
 */
export function judgeRates(limits: readonly RateLimit[], used: readonly number[], nowMs: number): RateState {
  const allowed = limits.every((limit, i) => (used[i] ?? 0) < limit.limit);
  let chosen: RateState | null = null;
  for (const [i, limit] of limits.entries()) {
    const after = (used[i] ?? 0) + (allowed ? 1 : 0);
    const remaining = Math.max(0, limit.limit - after);
    const resetAt = (windowOf(limit, nowMs) + 1) * limit.windowSeconds;
    const resetInSeconds = resetAt - nowMs / 1_000;
    const state = { allowed, limit: limit.limit, remaining, used: after, resetAt, resetInSeconds };
    if (!allowed && (used[i] ?? 0) < limit.limit) continue;
    if (
      chosen === null ||
      remaining < chosen.remaining ||
      (remaining === chosen.remaining && state.resetAt > chosen.resetAt)
    )
      chosen = state;
  }
  const resetAt = Math.ceil(nowMs / 1_000);
  return chosen ?? { allowed, limit: 0, remaining: 0, used: 0, resetAt, resetInSeconds: 0 };
}
