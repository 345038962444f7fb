/**
 * Bench of simulate and of the recommendations: how long they take over a month of invented sessions, on embedded stores and, where they
 * run, on the real ones; and what a score takes while they are asked without pause, against a score alone in the same run.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { BenchResult } from './bench-result.js';
import { readSettings } from '../src/config/read.js';
import type { Settings } from '../src/config/settings.js';
import { startService, type Service } from '../src/main.js';
import { packageRoot } from '../src/package-root.js';
import { scoreExample } from '../src/scoring/examples.js';
import type { Database } from '../src/stores/database/port.js';
import { openPostgres } from '../src/stores/database/postgres/open.js';
import { openDatabaseAlone } from '../src/stores/database/open.js';
import { createLogger } from '../src/telemetry/logger.js';
import { copyCluster } from '../test/helpers/embedded.js';
import { createLoad, median, quantile } from './load.js';

export interface ThresholdsBenchOptions {
  /** Length of each load of scores. */
  readonly seconds: number;
  readonly rounds: number;
  /** Invented sessions on the real stores; the embedded ones get a fiftieth. */
  readonly sessions?: number;
}

interface Measured {
  readonly simulateMs: number;
  readonly recommendMs: number;
  readonly aloneMs: number;
  readonly concurrentMs: number;
  readonly errors: number;
}

const fillDeadlineMs = 600_000;
const scoresPerSecond = 100;
const logger = createLogger('silent');

export async function benchThresholds({
  seconds,
  rounds,
  sessions = 5_000_000,
}: ThresholdsBenchOptions): Promise<BenchResult> {
  const embedded = await measure({}, Math.ceil(sessions / 50), seconds, rounds);
  const real = await onRealStores((environment) => measure(environment, sessions, seconds, rounds));
  const round = (value: number): number => Math.round(value * 100) / 100;
  const row = (name: string, count: number, measured: Measured): string =>
    [
      name.padEnd(9),
      String(count).padStart(9),
      measured.simulateMs.toFixed(0).padStart(12),
      measured.recommendMs.toFixed(0).padStart(13),
      measured.aloneMs.toFixed(1).padStart(14),
      measured.concurrentMs.toFixed(1).padStart(16),
    ].join(' ');
  return {
    table: [
      'stores     sessions  simulate ms  recommend ms  score p50 ms  p50 ms concurrent',
      row('embedded', Math.ceil(sessions / 50), embedded),
      ...(real === null ? ['real      not measured: the stack does not run'] : [row('real', sessions, real)]),
    ].join('\n'),
    ratios: {
      embeddedSimulateMs: round(embedded.simulateMs),
      embeddedRecommendMs: round(embedded.recommendMs),
      embeddedScoreConcurrent: round(embedded.concurrentMs / embedded.aloneMs),
      errors: embedded.errors + (real?.errors ?? 0),
      ...(real === null
        ? {}
        : {
            realSimulateMs: round(real.simulateMs),
            realRecommendMs: round(real.recommendMs),
            realScoreConcurrent: round(real.concurrentMs / real.aloneMs),
          }),
    },
  };
}

/** Starts once for the keys, fills, starts again and asks. */
async function measure(
  environment: Readonly<Record<string, string>>,
  sessions: number,
  seconds: number,
  rounds: number,
): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'verifyhuman-bench-'));
  const settings = readSettings({
    ...environment,
    PORT: '0',
    AUDIENCE_PORT: '0',
    ADMIN_PORT: '0',
    VH_DATA_DIR: directory,
    VH_BOOTSTRAP: 'on',
  });
  try {
    if (settings.DATABASE_URL === null) await copyCluster(join(directory, 'database'));
    const first = await startService(settings, logger);
    await first.stop();
    await fillDistribution(settings, first.bootstrap.projectId ?? '', sessions);
    const service = await startService(settings, logger);
    try {
      return await ask(service, seconds, rounds);
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Thirty days, twenty sources, scores that fall off, a third under the ceiling of lone evidence, six of ten labelled. */
export async function fillDistribution(settings: Settings, projectId: string, sessions: number): Promise<void> {
  const database = await openDatabaseAlone(settings, logger);
  const run = (sql: string, values: readonly (string | number)[] = []): Promise<unknown> =>
    database.query(sql, values, { deadlineMs: fillDeadlineMs });
  await run(
    `INSERT INTO scored_sessions
     SELECT $1, lpad(to_hex(n), 16, '0'), 'rcpt_' || lpad(to_hex(n), 32, '0'), now() - interval '61 days' - make_interval(secs => n * 2592000.0 / $2),
            'supplier-' || n % 20, uncapped || CASE WHEN n % 3 = 0 THEN '|uncorroborated||' ELSE '|||' END,
            CASE WHEN uncapped >= 75 AND n % 3 > 0 THEN 'block' WHEN uncapped >= 40 THEN 'review' ELSE 'allow' END, 100,
            CASE WHEN uncapped > 60 AND n % 4 = 0 THEN 'fraud' WHEN n % 10 < 6 AND uncapped < 70 THEN 'complete' ELSE 'none' END,
            CASE WHEN (uncapped > 60 AND n % 4 = 0) OR (n % 10 < 6 AND uncapped < 70)
                 THEN ((now() - interval '61 days' - make_interval(secs => n * 2592000.0 / $2)) AT TIME ZONE 'UTC')::date ELSE '-infinity' END
       FROM (SELECT n, floor(100 * power((n::bigint * 7919 % 99991) / 99991.0, 3))::int AS uncapped FROM generate_series(1, $2::int) AS n) AS drawn`,
    [projectId, sessions],
  );
  await run(
    `INSERT INTO score_distribution SELECT namespace, (scored_at AT TIME ZONE 'UTC')::date, source_id, cell, recommendation, label, label_day, count(*), sum(independence)
       FROM scored_sessions GROUP BY 1, 2, 3, 4, 5, 6, 7`,
  );
  await run('ANALYZE scored_sessions, score_distribution');
  await database.close();
}

async function ask({ bootstrap }: Service, seconds: number, rounds: number): Promise<Measured> {
  const headers = { 'x-api-key': bootstrap.projectKey ?? '', 'content-type': 'application/json' };
  let errors = 0;
  const timed = async (path: string, body?: object): Promise<number> => {
    const startedAt = performance.now();
    const answer = await fetch(bootstrap.baseUrl + path, {
      headers,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    await answer.arrayBuffer();
    if (!answer.ok) errors += 1;
    return performance.now() - startedAt;
  };
  const simulate = (): Promise<number> => timed('/lite/simulate', { reviewLow: 20, blockThreshold: 60, flips: 100 });
  const recommend = (): Promise<number> => timed('/lite/threshold-recommendations');
  const several = async (what: () => Promise<number>): Promise<number> => {
    const times: number[] = [];
    for (let n = 0; n < rounds; n += 1) times.push(await what());
    return median(times);
  };
  await simulate();
  const simulateMs = await several(simulate);
  const recommendMs = await several(recommend);
  const load = createLoad(16);
  const scores = async (name: string): Promise<number> => {
    const target = {
      origin: bootstrap.siteUrl,
      path: '/api/v1/lite/score',
      headers,
      body: (n: number) => JSON.stringify({ ...scoreExample, sessionId: `${name}-${n}`, respondentId: `${name}-${n}` }),
    };
    const measured = await load.open(target, scoresPerSecond, seconds);
    errors += measured.errors;
    return quantile(measured.latenciesMs, 0.5);
  };
  await scores('warm-up');
  const aloneMs = await scores('alone');
  let isOver = false;
  const asking = (async (): Promise<void> => {
    while (!isOver) await simulate();
  })();
  const concurrentMs = await scores('concurrent');
  isOver = true;
  await asking;
  return { simulateMs, recommendMs, aloneMs, concurrentMs, errors };
}

/** In a database of its own, dropped at the end; null where the stack does not run. */
async function onRealStores<T>(run: (environment: Readonly<Record<string, string>>) => Promise<T>): Promise<T | null> {
  const file = join(packageRoot, '.stack', 'stack.json');
  if (!existsSync(file)) return null;
  const stack = JSON.parse(readFileSync(file, 'utf8')) as Record<'databaseUrl' | 'redisUrl' | 'kafkaBrokers', string>;
  const name = `bench_thresholds_${process.pid}`;
  const server: Database = await openPostgres({ url: stack.databaseUrl, poolMax: 1, deadlineMs: 60_000, logger });
  await server.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  try {
    return await run({
      DATABASE_URL: stack.databaseUrl.replace(/\/[^/]*$/, `/${name}`),
      REDIS_URL: stack.redisUrl,
      KAFKA_BROKERS: stack.kafkaBrokers,
      KAFKA_TOPIC_PREFIX: `${name}.`,
      VH_MASTER_KEY: randomBytes(32).toString('base64'),
    });
  } finally {
    await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await server.close();
  }
}
