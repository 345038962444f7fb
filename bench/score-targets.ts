/** Floor and aim of each measure of the score bench, and the table of results against them. */
import type { BenchResult } from './bench-result.js';
import { markdownTable } from './markdown.js';

export interface Target {
  readonly measure: string;
  /** Names of the figures, in the order of their columns. */
  readonly figures: readonly string[];
  readonly floor: number;
  readonly aim?: number;
  /** More of it is better. */
  readonly more?: true;
}

/** Without another unit, a figure is a multiple of the baseline’s. */
export function scoreTargets(rates: readonly number[]): readonly Target[] {
  const labels = rates.map((rate) => `${rate}/s`).join(', ');
  const of = (figure: string): readonly string[] => rates.map((rate) => `${figure}At${rate}`);
  const [first = 0] = rates;
  return [
    { measure: `CPU a score at ${labels}`, figures: of('cpuPerRequest'), floor: 1.35, aim: 1.2 },
    { measure: 'CPU a score, closed loop', figures: ['cpuRatio'], floor: 2, aim: 1.5 },
    { measure: 'requests/s, closed loop', figures: ['throughputRatio'], floor: 0.5, aim: 0.7, more: true },
    { measure: `p50 at ${labels}`, figures: of('p50'), floor: 2, aim: 1.3 },
    { measure: `p95 at ${labels}`, figures: of('p95'), floor: 2, aim: 1.3 },
    { measure: 'p50, p95 at 70% of saturation', figures: ['p50AtSaturation', 'p95AtSaturation'], floor: 3, aim: 2 },
    { measure: `thread wake-ups at ${first}/s`, figures: [`wakeUpsPerRequestAt${first}`], floor: 1.5, aim: 1.2 },
    { measure: 'KB allocated a score, closed loop', figures: ['allocatedKilobytes'], floor: 100 },
    { measure: 'main-thread delay at 70%, p99, ms', figures: ['delayP99'], floor: 10, aim: 3 },
    { measure: 'requests/s on embedded stores', figures: ['embeddedPerSecond'], floor: 2_500, aim: 4_000, more: true },
    { measure: 'memory of role api, MB', figures: ['apiRssMegabytes'], floor: 400, aim: 250 },
    { measure: 'memory on embedded stores, MB', figures: ['embeddedRssMegabytes'], floor: 900, aim: 600 },
  ];
}

/** The most that a score may cost as multiples of the mandatory pipeline, whatever the machine: CPU in a closed loop and at fixed rates, and wake-ups at those. */
const committed = { cpuClosedLoop: 4, cpuAtRate: 3, wakeUpsAtRate: 1.8 };

/** Costs above the committed ones, with an allowance for noise; lower the limits when the service gets cheaper. */
export function exceedsCommitted(ratios: BenchResult['ratios'], rates: readonly number[]): string[] {
  const check = (name: string, limit: number, noise = 0): string[] => {
    const value = ratios[name] ?? NaN;
    return value <= limit * (1 + noise) ? [] : [`${name} is ${value}, committed are ${limit} (noise ${noise})`];
  };
  return [
    ...check('cpuRatio', committed.cpuClosedLoop, ratios['cpuNoise']),
    ...rates.flatMap((rate) => [
      ...check(`cpuPerRequestAt${rate}`, committed.cpuAtRate, ratios[`cpuNoiseAt${rate}`]),
      ...check(`wakeUpsPerRequestAt${rate}`, committed.wakeUpsAtRate, ratios[`cpuNoiseAt${rate}`]),
    ]),
  ];
}

/** One row for each target with figures. The worst of several counts. */
export function tableOfTargets(title: string, ratios: BenchResult['ratios'], targets: readonly Target[]): string {
  const rows = targets.flatMap(({ measure, figures, floor, aim, more }) => {
    const values = figures.flatMap((name) => ratios[name] ?? []);
    if (values.length === 0) return [];
    const meets = (bound: number): boolean => values.every((value) => (more ? value >= bound : value <= bound));
    const met = aim !== undefined && meets(aim) ? 'aim met' : 'floor met';
    const bounds = [format(floor), aim === undefined ? '' : format(aim)];
    return [[measure, values.map(format).join(', '), ...bounds, meets(floor) ? met : 'missed']];
  });
  return markdownTable([title, 'here', 'floor', 'aim', 'result'], rows);
}

const format = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : String(Math.round(value * 100) / 100);
