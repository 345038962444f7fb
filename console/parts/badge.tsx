/** A recommendation, a state or a band as a coloured word. */
import { readable } from './words.js';

const tones: Readonly<Record<string, string>> = {
  allow: 'good',
  review: 'warn',
  step_up: 'info',
  block: 'bad',
  likely: 'warn',
  confirmed: 'bad',
  possible: 'info',
  working: 'good',
  failing: 'bad',
  parked: 'bad',
  succeeded: 'good',
  failed: 'warn',
  exhausted: 'bad',
  pending: 'info',
  fielding: 'good',
  paused: 'warn',
};

interface BadgeProps {
  readonly value: string;
  readonly tone?: string;
  /** Default: the value in words. */
  readonly text?: string;
}

export const Badge = ({ value, tone = tones[value] ?? 'plain', text = readable(value) }: BadgeProps) => (
  <span class={`badge ${tone}`}>{text}</span>
);
