/** The axes of a score. Apart from the schemas, so that worker threads load none of those: that is a third of a second and some megabytes each. */
import type { DegradedSignal } from './score.js';

export const axes = ['network', 'device', 'velocity', 'duplicate', 'behavior', 'history'] as const;
export type Axis = (typeof axes)[number];

/** The axes that risk is fused from; duplication is reported apart and never moves risk. */
export const riskAxes = ['network', 'device', 'velocity', 'behavior', 'history'] as const;
export type RiskAxis = (typeof riskAxes)[number];
/** Sessions of a sample from which independence, an axis apart, is judged. */
export const independenceSessionsMin = 10;

/** Sets of degraded signals, each of which leaves nothing of an axis to measure. */
const lacks: Readonly<Record<RiskAxis, readonly (readonly DegradedSignal[])[]>> = {
  network: [['geo_unavailable', 'network_unavailable']],
  device: [['organization_key'], ['client_probe_missing'], ['probe_unusable'], ['probe_unreadable']],
  velocity: [['organization_key'], ['counters_unavailable']],
  behavior: [['organization_key'], ['client_probe_missing'], ['probe_unusable'], ['probe_unreadable']],
  history: [['organization_key'], ['history_unavailable']],
};

/** The axes of a score whose 0 means "not measured". An axis with evidence was measured, whatever is missing. */
export const unmeasuredAxes = ({ categories, degradedSignals }: MeasuredScore): readonly RiskAxis[] =>
  riskAxes.filter(
    (axis) =>
      categories[axis] === 0 && lacks[axis].some((set) => set.every((signal) => degradedSignals.includes(signal))),
  );

interface MeasuredScore {
  readonly categories: Readonly<Record<RiskAxis, number>>;
  readonly degradedSignals: readonly DegradedSignal[];
}
