/**
 * Bench of the service on real PostgreSQL, Redis and Kafka (the running stack): receipts recorded by the consumers and outcomes taken in bulk, each
 * against bare rows of the same size in the same database and run, and the memory of an API process under load. A database and topics
 * of its own, dropped at the end.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchResult } from './bench-result.js';
import { readSettings } from '../src/config/read.js';
import { makeId } from '../src/crypto/ids.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { scoreExample } from '../src/scoring/examples.js';
import { openPostgres } from '../src/stores/database/postgres/open.js';
import type { Database } from '../src/stores/database/port.js';
import { openKafkaLog } from '../src/stores/log/kafka/log.js';
import type { Log, LogEntry } from '../src/stores/log/port.js';
import { createLogger } from '../src/telemetry/logger.js';
import { createLoad, type Target } from './load.js';
import { markdownTable } from './markdown.js';
import { serve } from './process.js';
import { withStack } from './stack.js';
import { countStoresCpu } from './store-cpu.js';

export interface StoresBenchOptions {
  /** Length of each load. */
  readonly seconds: number;
  /** Receipts that the consumers record. */
  readonly receipts?: number;
}

const connections = 32;
const eventsPerCall = 1_000;
const batch = 500;
/** Until the code is compiled. */
const warmUpSecondsMax = 8;
const serverUrl = new URL('./service-server.js', import.meta.url);

export async function benchStores({ seconds, receipts = 30_000 }: StoresBenchOptions): Promise<BenchResult> {
  return withStack(async (environment) => {
    const api = await serve<Bootstrap>(serverUrl, { ...environment, VH_ROLES: 'api' });
    const load = createLoad(connections);
    const target: Target = {
      origin: api.info.siteUrl,
      path: '/api/v1/lite/score',
      headers: { 'x-api-key': api.info.projectKey },
      body: scoreBody,
    };
    await load.closed({ ...target, body: warmUpBody }, Math.min(warmUpSecondsMax, 2 * seconds));
    const scored = await load.closed(target, seconds);
    const outcomes = await load.closed({ ...target, path: '/api/v1/lite/events', body: eventsBody }, seconds);
    const rssMegabytes = Math.round(api.rssPeakBytes() / 1_048_576);
    await api.stop();
    const database = await openPostgres({ url: environment.DATABASE_URL, poolMax: 4, deadlineMs: 60_000 });
    const recorded = await measureConsumers(environment, database, receipts, Math.min(batch, scored.answers));
    const bare = await measureBareRows(database, recorded.entryBytes, receipts);
    await database.close();
    return report({
      errors: scored.errors + outcomes.errors,
      scoresPerSecond: scored.perSecond,
      eventsPerSecond: outcomes.perSecond * eventsPerCall,
      receiptsPerSecond: recorded.perSecond,
      receiptConsumersCpu: recorded.consumersCpu,
      receiptPostgresCpu: recorded.postgresCpu,
      receiptKafkaCpu: recorded.kafkaCpu,
      bareRowsPerSecond: bare,
      rssMegabytes,
    });
  });
}

const scoreBodyOf =
  (round: string) =>
  (n: number): string =>
    JSON.stringify({ ...scoreExample, sessionId: `${round}-${n}`, respondentId: `respondent-${n % 50_000}` });
const warmUpBody = scoreBodyOf('warm-up');
const scoreBody = scoreBodyOf('bench');

const eventsBody = (n: number): string =>
  JSON.stringify({
    events: Array.from({ length: eventsPerCall }, (_, index) => ({
      sessionId: `bench-${n * eventsPerCall + index}`,
      type: 'complete',
      occurredAt: '2026-06-01T12:00:00Z',
    })),
  });

/** CPU in microseconds a receipt. */
interface Recorded extends Readonly<Record<'perSecond' | 'consumersCpu' | 'postgresCpu' | 'kafkaCpu', number>> {
  readonly entryBytes: number;
}

/** Fills the log with copies of real receipts under new ids, and times a consumers process that works them off. */
async function measureConsumers(
  environment: Readonly<Record<string, string>>,
  database: Database,
  count: number,
  sampled: number,
): Promise<Recorded> {
  const { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: prefix } = readSettings(environment);
  const log = await openKafkaLog({ brokers: brokers ?? [], clientId: 'bench', prefix, logger: createLogger('silent') });
  const sample = await readSample(log, sampled);
  for (let from = 0; from < count; from += batch)
    await log.append(
      'scores',
      Array.from({ length: batch }, (_, n) => copyOf(sample[(from + n) % sample.length])),
    );
  await log.close();
  const isThere = async (): Promise<number> =>
    (await database.query<{ n: number }>('SELECT count(*) AS n FROM receipts'))[0]?.n ?? 0;
  const consumers = await serve<object>(serverUrl, { ...environment, VH_ROLES: 'consumers' });
  const [before, startedMs] = await waitFor(isThere, (n) => n > 0);
  const storesCpu = countStoresCpu(new URL(environment['DATABASE_URL'] ?? '').pathname.slice(1));
  const cpuBefore = consumers.cpuMicroseconds();
  const [after, endedMs] = await waitFor(isThere, (n) => n >= count);
  const used = { consumers: consumers.cpuMicroseconds() - cpuBefore, ...storesCpu() };
  await consumers.stop();
  return {
    consumersCpu: used.consumers / (after - before),
    postgresCpu: used.postgres / (after - before),
    kafkaCpu: used.kafka / (after - before),
    perSecond: ((after - before) * 1_000) / (endedMs - startedMs),
    entryBytes: sample.reduce((sum, { value }) => sum + value.length, 0) / sample.length,
  };
}

async function readSample(log: Log, count: number): Promise<readonly LogEntry[]> {
  const sample: LogEntry[] = [];
  const reader = await log.subscribe({
    topic: 'scores',
    group: 'bench',
    batchMax: batch,
    handle: async (entries) =>
      void sample.push(...entries.map(({ key, value }) => ({ key, value: new Uint8Array(value) }))),
  });
  while (sample.length < count) await pause(10);
  await reader.stop();
  return sample.slice(0, count);
}

/** The same receipt under another id, which a record has as bytes; its signature does not hold, which nothing here looks at. */
function copyOf(entry: LogEntry | undefined): LogEntry {
  if (entry === undefined) throw new Error('there is no receipt to copy');
  const receiptId = makeId('receipt');
  const value = Buffer.from(entry.value);
  const at = value.indexOf(bytesOfId(entry.key));
  if (at < 0) throw new Error('the record does not contain its receipt id');
  value.set(bytesOfId(receiptId), at);
  return { key: receiptId, value: new Uint8Array(value) };
}

const bytesOfId = (id: string): Buffer => Buffer.from(id.slice(id.indexOf('_') + 1), 'hex');

async function waitFor(
  read: () => Promise<number>,
  isEnough: (n: number) => boolean,
): Promise<readonly [value: number, atMs: number]> {
  for (;;) {
    const value = await read();
    if (isEnough(value)) return [value, performance.now()];
    await pause(20);
  }
}

/** Rows of the same size with nothing but a key, in batches of the same length: what the database takes at best in this way. */
async function measureBareRows(database: Database, bytes: number, count: number): Promise<number> {
  await database.query('CREATE TABLE bare (id text PRIMARY KEY, content bytea NOT NULL)');
  await database.query('ALTER TABLE bare ALTER COLUMN content SET STORAGE EXTERNAL');
  const content = randomBytes(Math.round(bytes) * batch);
  const startedMs = performance.now();
  for (let from = 0; from < count; from += batch) {
    await database.query(
      'INSERT INTO bare SELECT id, substring($2::bytea FROM (nr::int - 1) * $3 + 1 FOR $3) FROM unnest($1::text[]) WITH ORDINALITY AS row (id, nr)',
      [Array.from({ length: batch }, () => makeId('receipt')), content, Math.round(bytes)],
    );
  }
  return (count * 1_000) / (performance.now() - startedMs);
}

function report(measured: Readonly<Record<keyof typeof labels | 'errors', number>>): BenchResult {
  const { errors, receiptsPerSecond, bareRowsPerSecond } = measured;
  const rows = Object.entries(labels).map(([name, label]) => [
    label,
    String(Math.round(measured[name as keyof typeof labels])),
  ]);
  return {
    table: `${errors} errors\n\n${markdownTable(['on real stores', ''], rows)}`,
    ratios: {
      ...Object.fromEntries(Object.entries(measured).map(([name, value]) => [name, Math.round(value)])),
      receiptsToBareRows: Math.round((receiptsPerSecond / bareRowsPerSecond) * 1_000) / 1_000,
    },
  };
}

const labels = {
  scoresPerSecond: 'scores/s',
  eventsPerSecond: 'outcome events/s in bulk',
  receiptsPerSecond: 'receipts/s recorded by consumers',
  receiptConsumersCpu: 'CPU us of consumers a receipt',
  receiptPostgresCpu: 'CPU us of PostgreSQL a receipt',
  receiptKafkaCpu: 'CPU us of Kafka a receipt',
  bareRowsPerSecond: 'bare rows/s of the same size',
  rssMegabytes: 'peak memory of the API, MB',
} as const;
