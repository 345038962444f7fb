/** What the score bench is held against: floor and aim of each measure, and the table of them. */
import type { BenchResult } from './bench-result.js';

export interface Target {
  readonly measure: string;
  /** Names of the figures, in the order of their columns. */
  readonly figures: readonly string[];
  readonly floor: number;
  readonly aim?: number;
  /** More of it is better. */
  readonly more?: true;
}

const latencies = (rates: readonly string[]): Target[] =>
  (['p50', 'p95', 'p99'] as const).map((quantile) => ({
    measure: `${quantile} at ${rates.map((rate) => (rate === 'Saturation' ? '70%' : `${rate}/s`)).join(', ')}, times the baseline’s`,
    figures: rates.map((rate) => `${quantile}At${rate}`),
    floor: 2,
    aim: 1.3,
  }));

function targetsOf(rates: readonly number[]): readonly Target[] {
  const names = rates.map(String);
  return [
    { measure: 'answers/s, of the baseline’s', figures: ['throughputRatio'], floor: 0.5, aim: 0.7, more: true },
    { measure: 'CPU in the closed loop, times the baseline’s', figures: ['cpuRatio'], floor: 2, aim: 1.5 },
    {
      measure: `CPU at ${names.map((rate) => `${rate}/s`).join(', ')}, times the baseline’s`,
      figures: names.map((rate) => `cpuPerRequestAt${rate}`),
      floor: 1.5,
      aim: 1.2,
    },
    ...latencies([...names, 'Saturation']),
    {
      measure: `wake-ups at ${names[0] ?? ''}/s, times the baseline’s`,
      figures: [`wakeUpsPerRequestAt${names[0] ?? ''}`],
      floor: 1.5,
      aim: 1.2,
    },
    { measure: 'p99 of the main thread’s delay at 70%, ms', figures: ['loopDelayP99'], floor: 10, aim: 3 },
    { measure: 'answers/s on embedded stores', figures: ['embeddedPerSecond'], floor: 2_500, aim: 4_000, more: true },
    { measure: 'memory of role api under load, MB', figures: ['apiRssMegabytes'], floor: 400, aim: 250 },
    { measure: 'memory on embedded stores under load, MB', figures: ['embeddedRssMegabytes'], floor: 900, aim: 600 },
  ];
}

export const scoreTargets = (ratios: BenchResult['ratios'], rates: readonly number[]): readonly string[] =>
  tableOfTargets(ratios, targetsOf(rates));

/** One line for each target with figures; those beyond the floor are marked. */
export function tableOfTargets(ratios: BenchResult['ratios'], targets: readonly Target[]): readonly string[] {
  const lines = targets.flatMap(({ measure, figures, floor, aim, more }) => {
    const values = figures.flatMap((name) => ratios[name] ?? []);
    if (values.length === 0) return [];
    const isMissed = values.some((value) => (more ? value < floor : value > floor));
    const here = values.map((value) => format(value)).join(', ');
    return `${measure.padEnd(54)}${here.padEnd(22)}${format(floor).padEnd(7)}${(aim === undefined ? '' : format(aim)).padEnd(6)}${isMissed ? 'missed' : ''}`;
  });
  return [`${'against floor and aim'.padEnd(54)}${'here'.padEnd(22)}floor  aim`, ...lines];
}

const format = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : String(Math.round(value * 100) / 100);
