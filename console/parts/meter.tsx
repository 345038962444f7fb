/** A part of a whole, as a bar and as numbers. */
import { formatCount } from './words.js';

export const Meter = ({ value, of, tone = 'plain' }: { value: number; of: number; tone?: string }) => (
  <span class="mix">
    <span class="meter" aria-hidden="true">
      <span class={tone} style={{ width: `${of === 0 ? 0 : Math.min(1, value / of) * 100}%` }} />
    </span>
    <span class="small number">
      {formatCount(value)} of {formatCount(of)}
    </span>
  </span>
);
