/** The table and the ratios of the bench `neighbours`. */
import type { BenchResult } from './bench-result.js';
import { quantile } from './load.js';
import { markdownTable } from './markdown.js';
import type { HeavyThing } from './neighbours-storm.js';

export interface Felt {
  readonly latencies: Float64Array;
  readonly ages: Float64Array;
  readonly failures: number;
}

export interface Done {
  readonly perSecond: number;
  readonly failures: number;
}

export interface Row {
  readonly thing: HeavyThing;
  readonly alone: Felt;
  readonly felt: Felt;
  readonly inStorm: Done;
  readonly stormAlone: Done;
}

const round = (value: number): number => Math.round(value * 100) / 100;

export function report(rows: readonly Row[]): BenchResult {
  const figures = rows.map(({ thing, alone, felt, inStorm, stormAlone }) => ({
    thing,
    quietP50: quantile(alone.latencies, 0.5),
    quietP99: quantile(alone.latencies, 0.99),
    p50: quantile(felt.latencies, 0.5),
    p99: quantile(felt.latencies, 0.99),
    p50Ratio: round(quantile(felt.latencies, 0.5) / quantile(alone.latencies, 0.5)),
    p99Ratio: round(quantile(felt.latencies, 0.99) / quantile(alone.latencies, 0.99)),
    webhookP99: quantile(felt.ages, 0.99),
    failures: felt.failures,
    alonePerSecond: stormAlone.perSecond,
    stormRatio: round(stormAlone.perSecond / inStorm.perSecond),
    stormFailures: inStorm.failures,
  }));
  return {
    table: markdownTable(
      [
        'storm of',
        'quiet p50 ms',
        'p50 ms',
        'quiet p99 ms',
        'p99 ms',
        'webhook p99 ms',
        'failed calls',
        'storm alone /s',
        'takes longer by',
      ],
      figures.map((row) => [
        ...[row.thing, row.quietP50.toFixed(1), row.p50.toFixed(1), row.quietP99.toFixed(1), row.p99.toFixed(1)],
        ...[row.webhookP99.toFixed(0), String(row.failures), row.alonePerSecond.toFixed(1), String(row.stormRatio)],
      ]),
    ),
    ratios: Object.fromEntries(
      figures.flatMap(({ thing, p50Ratio, p99Ratio, failures, stormRatio, stormFailures }) =>
        Object.entries({
          P50: p50Ratio,
          P99: p99Ratio,
          Failures: failures,
          Storm: stormRatio,
          StormFailures: stormFailures,
        }).map(([name, value]) => [thing + name, value]),
      ),
    ),
  };
}
