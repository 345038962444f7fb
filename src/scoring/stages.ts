/** The stages of a score, whose time a metric has. */
import type { Metrics } from '../telemetry/metrics.js';

const stages = {
  gather: { stage: 'gather' },
  count: { stage: 'count' },
  judge: { stage: 'judge' },
  receipt: { stage: 'receipt' },
};

export function noteStage({ scoreStage }: Metrics, stage: keyof typeof stages, fromMs: number): void {
  scoreStage.observe(stages[stage], (performance.now() - fromMs) / 1_000);
}
