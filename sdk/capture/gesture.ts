/**
 * Estimates on the page whether the respondent did what was asked. It decides when the next challenge starts and what guidance is shown,
 * never the verdict. It is a little stricter than the service, so that a challenge done here also passes there.
 */
import type { ChallengeType } from '../../src/contract/verdict.js';
import type { Pose } from './pose.js';

/** How far each movement goes: degrees, growth of the mouth, and openness of an eye against its usual one. */
const needed = { turn: 19, nod: 11, smile: 0.14, shut: 0.6, open: 0.85 } as const;
/** A movement is over when it has come back to this share of what was needed. */
const returned = 0.4;
/** A movement the other way that the service takes for no answer, as a share of the one needed. */
const oppositeMax = 0.35;
/** Frames at the beginning of a challenge that are part of its rest; quantile that is an eye’s usual opening. */
const openQuantile = 0.7;

export type Progress =
  | { readonly kind: 'going'; readonly share: number }
  | { readonly kind: 'done' }
  /** Went the other way: the challenge has to be shown again once the head is back. */
  | { readonly kind: 'spoiled' };

export interface GestureWatch {
  see(pose: Pose): Progress;
  /** Whether no pose went further than the one seen last. */
  isFurthest(): boolean;
}

/** `seen` are the poses before the challenge; the rest is theirs. */
export function watchGesture(type: ChallengeType, seen: readonly Pose[]): GestureWatch {
  switch (type) {
    case 'blink':
      return watchBlink(seen);
    case 'smile':
      return watchExcursion(seen, ({ mouth }) => mouth, needed.smile, 'growth', 1);
    case 'turn_left':
      return watchExcursion(seen, ({ yaw }) => yaw, needed.turn, 'difference', 1);
    case 'turn_right':
      return watchExcursion(seen, ({ yaw }) => yaw, needed.turn, 'difference', -1);
    case 'nod':
      return watchExcursion(seen, ({ pitch }) => pitch, needed.nod, 'difference', 0);
  }
}

/** `direction` 0 takes either, the first that goes far enough. */
function watchExcursion(
  seen: readonly Pose[],
  read: (pose: Pose) => number,
  least: number,
  by: 'difference' | 'growth',
  direction: 1 | -1 | 0,
): GestureWatch {
  const rest = quantile(seen.map(read), 0.5);
  let way = direction;
  let reached = 0;
  let spoiled = false;
  let furthest = false;
  return {
    isFurthest: () => furthest,
    see(pose) {
      const away = by === 'growth' ? read(pose) / Math.max(rest, 1e-3) - 1 : read(pose) - rest;
      if (way === 0 && Math.abs(away) > least / 2) way = away > 0 ? 1 : -1;
      const share = (way === 0 ? Math.abs(away) : away * way) / least;
      furthest = share > reached;
      reached = Math.max(reached, share);
      if (by === 'difference' && way !== 0 && direction !== 0 && reached < 1 && share < -oppositeMax) spoiled = true;
      if (spoiled) return Math.abs(share) < oppositeMax / 2 ? { kind: 'spoiled' } : { kind: 'going', share: 0 };
      if (reached >= 1 && share <= returned) return { kind: 'done' };
      return { kind: 'going', share: reached >= 1 ? 1 : Math.max(0, share) * 0.9 };
    },
  };
}

function watchBlink(seen: readonly Pose[]): GestureWatch {
  const right = quantile(
    seen.map(({ rightEye }) => rightEye),
    openQuantile,
  );
  const left = quantile(
    seen.map(({ leftEye }) => leftEye),
    openQuantile,
  );
  let shut = false;
  let open = false;
  let lowest = Infinity;
  let furthest = false;
  return {
    isFurthest: () => furthest,
    see({ rightEye, leftEye }) {
      const [a, b] = [rightEye / Math.max(right, 0.02), leftEye / Math.max(left, 0.02)];
      furthest = a + b < lowest;
      lowest = Math.min(lowest, a + b);
      if (a < needed.shut && b < needed.shut) shut = open;
      else if (a > needed.open && b > needed.open) {
        if (shut) return { kind: 'done' };
        open = true;
      }
      return { kind: 'going', share: shut ? 0.6 : 0 };
    },
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
