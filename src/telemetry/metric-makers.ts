/** Makers of metrics in one registry, so that a metric is declared by its name, its help and its labels. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Seconds; dense around the latency budget of a score (5, 15 and 30 ms). */
export const latencyBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.015, 0.03, 0.06, 0.12, 0.25, 0.5, 1, 2, 5];

export type Makers = ReturnType<typeof createMakers>;

export function createMakers(registry: Registry) {
  const registers = [registry];
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Histogram<L>({ name, help, labelNames: [...labelNames], buckets: latencyBuckets, registers });
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter<L>({ name, help, labelNames: [...labelNames], registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge<L>({ name, help, labelNames: [...labelNames], registers });
  return { histogram, counter, gauge };
}
