/**
 * When frames came: roughly evenly, never exactly. Times that go back were written, not measured. Coarse clocks look even too: weak
 * evidence.
 */
import type { Track } from './landmarks.js';
import { mean, median, spread } from './series.js';

export const timingEdges = {
  framesMin: 20,
  /** Spread of the intervals over their mean below which they were computed. */
  evenSpreadMax: 0.0005,
  /** Share of frames whose time goes back. */
  backwardShare: 0.1,
  /** A gap of this many usual intervals is a hole, and no shorter than this, ms. */
  gapIntervals: 4,
  gapMsMin: 400,
} as const;

export interface FrameTiming {
  /** Usual number of frames a second; 0 if unknown. */
  readonly rate: number;
  readonly durationMs: number;
  readonly even: boolean;
  readonly backward: boolean;
  /** Share of the capture’s time that lies in holes, 0-1. */
  readonly missing: number;
}

export function measureTiming({ atMs, count, sent, backward }: Track): FrameTiming {
  const isBackward = sent > 0 && backward / sent > timingEdges.backwardShare;
  if (count < 2) return { rate: 0, durationMs: 0, even: false, backward: isBackward, missing: 0 };
  const intervals = Float64Array.from({ length: count - 1 }, (_, index) => (atMs[index + 1] ?? 0) - (atMs[index] ?? 0));
  const usual = median(intervals);
  const durationMs = (atMs[count - 1] ?? 0) - (atMs[0] ?? 0);
  const hole = Math.max(usual * timingEdges.gapIntervals, timingEdges.gapMsMin);
  const holes = intervals.reduce((sum, interval) => sum + (interval > hole ? interval - usual : 0), 0);
  return {
    rate: usual > 0 ? 1_000 / usual : 0,
    durationMs,
    even: count >= timingEdges.framesMin && spread(intervals) < timingEdges.evenSpreadMax * mean(intervals),
    backward: isBackward,
    missing: durationMs > 0 ? holes / durationMs : 0,
  };
}
