/** Metrics that a dashboard shows next to rates and latencies: backlogs, refusals, the running version, the age of lookup files. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { degradedSignals } from '../contract/score.js';

const sourcesMax = 200;
const keysMax = 100;

export function dashboardMetrics({ histogram, counter, gauge }: Makers) {
  return {
    /** A source of a project, or `other` beyond the first 200. */
    sourceLabel: createBoundedLabels(sourcesMax),
    /** The id of a key, or `other` beyond the first 100 that were refused. */
    keyLabel: createBoundedLabels(keysMax),
    build: gauge('vh_build_info', '1, with the running version and its commit as labels.', ['version', 'commit']),
    scoresBySource: counter(
      'vh_scores_by_source_total',
      'Scores of live keys by source (project/source; the first 200 of a process, then other) and recommendation.',
      ['source', 'recommendation'],
    ),
    rateLimited: counter(
      'vh_rate_limited_total',
      'Responses with 429 by key id (the first 100 of a process, then other); none without a key.',
      ['key'],
    ),
    databaseTime: histogram(
      'vh_database_seconds',
      'Duration of a transaction or single statement, including the wait for a connection.',
      ['pool', 'kind'],
    ),
    databaseFailures: counter('vh_database_failures_total', 'Statements and transactions that were rejected.', [
      'pool',
    ]),
    databaseConnections: gauge(
      'vh_database_connections',
      'PostgreSQL connections by pool: busy, idle, or waiting (calls in the queue).',
      ['pool', 'state'],
    ),
    geographyAge: gauge('vh_geography_age_seconds', 'Age of a country or network file, by setting.', ['setting']),
    spoolBytesMax: gauge('vh_spool_bytes_max', 'VH_SPOOL_BYTES_MAX of this process, in bytes.'),
    backlogs: gauge(
      'vh_backlog',
      'Database backlog, up to 10,000 of each kind: adjudications, history (unpublished), outcomes (unmatched after 15 minutes).',
      ['kind'],
    ),
    backlogOldest: gauge('vh_backlog_oldest_seconds', 'Age of the oldest backlog entry; 0 if there is none.', ['kind']),
  };
}

type PrimedSeries = Readonly<
  Record<'scores', Counter<'recommendation'>> &
    Record<'degraded', Counter<'signal'>> &
    Record<'probes' | 'outcomes' | 'faceReuse', Counter<'result'>> &
    Record<'poolRejected', Counter<'reason'>> &
    Record<'storeFailures', Counter<'store'>> &
    Record<'spoolEntries' | 'outboxEvents', Counter<'event'>> &
    Record<'webhookAttempts', Counter<'outcome'>> &
    Record<'rateLimited', Counter<'key'>> &
    Record<'databaseFailures', Counter<'pool'>> &
    Record<'sessionsCreated', Counter<'mode'>> &
    Record<'verifications', Counter<'status' | 'mode'>> &
    Record<'verifyStage', Histogram<'stage'>> &
    Record<'primeFailures', (route: string) => void>
>;

/** Failures of scores count from the first call on. */
const scoreRoute = '/api/v1/lite/score';

/** Series that are there from the start, at 0: what was never counted is seen, and the first time is a rise. */
export function primeSeries(metrics: PrimedSeries): void {
  const prime = <L extends string>(counter: Counter<L>, label: L, values: readonly string[]): void =>
    values.forEach((value) => counter.inc({ [label]: value } as Record<L, string>, 0));
  prime(metrics.scores, 'recommendation', ['allow', 'review', 'block']);
  prime(metrics.degraded, 'signal', degradedSignals);
  prime(metrics.probes, 'result', ['stored', 'stale', 'nonce_reused', 'unknown_key']);
  prime(metrics.faceReuse, 'result', ['new', 'reused', 'not_compared', 'crowded']);
  prime(metrics.poolRejected, 'reason', ['full', 'deadline', 'thread']);
  prime(metrics.outcomes, 'result', ['accepted', 'duplicates', 'rejected', 'unmatched']);
  prime(metrics.storeFailures, 'store', ['counters']);
  prime(metrics.spoolEntries, 'event', ['spooled', 'replayed']);
  prime(metrics.outboxEvents, 'event', ['published', 'swept']);
  prime(metrics.webhookAttempts, 'outcome', ['succeeded', 'failed', 'exhausted']);
  prime(metrics.rateLimited, 'key', ['none', 'other']);
  prime(metrics.databaseFailures, 'pool', ['work', 'lookups']);
  metrics.sessionsCreated.inc({ mode: 'live' }, 0);
  for (const status of ['pass', 'fail']) metrics.verifications.inc({ status, mode: 'live' }, 0);
  for (const stage of ['pictures', 'compare', 'verdict', 'record']) metrics.verifyStage.zero({ stage });
  metrics.primeFailures(scoreRoute);
}

/**
 * Makes the failures of a route visible from its first answer, at 0. A series that begins above 0 shows no rise: failures that
 * all come before the next scrape would never count.
 */
export function createFailurePrimer(httpRequests: Histogram<'route' | 'status'>): (route: string) => void {
  const primed = new Set<string>();
  return (route) => {
    if (primed.has(route)) return;
    primed.add(route);
    for (const status of ['429', '500', '503']) httpRequests.zero({ route, status });
  };
}

/** Label values that callers choose, bounded: the first so many get a series of their own, the rest share `other`. */
const otherLabel = 'other';

export function createBoundedLabels(valuesMax: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= valuesMax) return otherLabel;
    known.add(value);
    return value;
  };
}

/** Seconds; dense around the latency budget of a score (5, 15 and 30 ms). */
const latencyBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.015, 0.03, 0.06, 0.12, 0.25, 0.5, 1, 2, 5];

export type Makers = ReturnType<typeof createMakers>;

export function createMakers(registry: Registry) {
  const registers = [registry];
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Histogram<L>({ name, help, labelNames: [...labelNames], buckets: latencyBuckets, registers });
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter<L>({ name, help, labelNames: [...labelNames], registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name, help, labelNames: [...labelNames], registers });
  /** Without a series until a process measures it: a 0 of a process that does not would hide that no process measures. */
  const gaugeOnceSet = (name: string, help: string): Gauge => {
    const made = gauge(name, help);
    made.remove();
    return made;
  };
  return { histogram, counter, gauge, gaugeOnceSet };
}
