/** A share with its 95% interval, as a bar and as numbers. */
import type { ComponentChildren } from 'preact';
import { formatShare } from './words.js';

interface IntervalProps {
  readonly of: { readonly value: number; readonly low: number; readonly high: number };
  readonly children?: ComponentChildren;
}

export const Interval = ({ of: { value, low, high }, children }: IntervalProps) => (
  <span class="mix">
    <span class="interval" aria-hidden="true">
      <span style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />
      <i style={{ left: `${value * 100}%` }} />
    </span>
    <span class="small">
      {formatShare(value)} ({formatShare(low)} to {formatShare(high)}){children}
    </span>
  </span>
);
