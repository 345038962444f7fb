/** Sessions by recommendation as one stacked bar, with its numbers for readers who do not see it. */
import type { Mix } from '../../src/contract/thresholds.js';
import { LabelledNumbers } from './labelled-numbers.js';
import { formatCount, formatShare } from './words.js';

export const decisions = [
  ['allow', 'Allow', 'good'],
  ['review', 'Review', 'warn'],
  ['step_up', 'Step up', 'info'],
  ['block', 'Block', 'bad'],
] as const satisfies readonly (readonly [keyof Mix, string, string])[];

export const totalOf = (mix: Mix): number => mix.allow + mix.review + mix.block + mix.step_up;

export function MixBar({ mix }: { mix: Mix }) {
  const total = totalOf(mix);
  const shown = decisions.filter(([name]) => mix[name] > 0);
  const text = shown.map(([name, label]) => `${label} ${formatShare(mix[name] / total)}`).join(', ');
  return (
    <span class="mix">
      <span class="mix-bar" aria-hidden="true">
        {shown.map(([name, , tone]) => (
          <span key={name} class={tone} style={{ flexGrow: mix[name] }} />
        ))}
      </span>
      <span class="small">{total === 0 ? 'No sessions' : text}</span>
    </span>
  );
}

/** One mix as a line of numbers. */
export const MixNumbers = ({ mix }: { mix: Mix }) => (
  <LabelledNumbers rows={decisions.map(([name, label]) => [label, formatCount(mix[name])])} />
);
