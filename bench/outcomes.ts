/**
 * Bench of `POST /lite/events` in bulk on the running stack, over days of receipts. A round has three parts:
 * - acceptance: a backlog is posted while no consumer runs;
 * - processing: a fresh consumer process adjudicates every session, moves its label and publishes its history to Redis;
 * - both: as many events again are posted while that process runs.
 * At its end nothing may be missing. The baseline is a bare route that only appends the same bodies to Kafka.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchResult } from './bench-result.js';
import { createMakeRef } from '../src/crypto/master-key.js';
import { bulkEventsMax, type OutcomeReply } from '../src/contract/outcome.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { scoreExample } from '../src/scoring/examples.js';
import { openPostgres } from '../src/stores/database/postgres/open.js';
import type { Database } from '../src/stores/database/port.js';
import { median } from './load.js';
import { copySessions, makeDays, sessionsOf, type BenchSession } from './outcome-sessions.js';
import { serve, type Served } from './process.js';
import { withStack, type StackEnvironment } from './stack.js';
import { countStoresCpu } from './store-cpu.js';

export interface OutcomesBenchOptions {
  readonly rounds: number;
  /** Rounds before those, for the compiler; not measured. */
  readonly warmUpRounds?: number;
  /** Daily partitions of receipts. */
  readonly days?: number;
  /** Posted in each of the two parts of a round. */
  readonly events?: number;
  /** Calls at a time. */
  readonly connections?: number;
}

const columns = ['api', 'consumers', 'postgres', 'kafka', 'redis'] as const;

interface Part {
  readonly eventsPerSecond: number;
  /** Microseconds of CPU an event. */
  readonly cpu: Readonly<Record<(typeof columns)[number], number>>;
}

interface Round {
  readonly bare: Part;
  readonly acceptance: Part;
  readonly processing: Part;
  readonly both: Part;
}

const serviceServer = new URL('./service-server.js', import.meta.url);
const bareServer = new URL('./bulk-server.js', import.meta.url);
const origin = 'origin';
const patienceMs = 300_000;
/** A fresh process is not measured until it has done this share of the backlog. */
const warmUpShare = 0.25;

export async function benchOutcomes({
  rounds,
  warmUpRounds = 1,
  days = 400,
  events = 20_000,
  connections = 4,
}: OutcomesBenchOptions): Promise<BenchResult> {
  return withStack(async (environment) => {
    const api = await serve<Bootstrap>(serviceServer, { ...environment, VH_ROLES: 'api' });
    const bare = await serve<{ origin: string }>(bareServer, environment);
    const database = await openPostgres({ url: environment.DATABASE_URL, poolMax: 2, deadlineMs: 120_000 });
    try {
      await makeDays(database, days);
      await scoreOrigin(environment, database, api.info);
      const bench = { environment, database, api, bare, days, events, connections };
      const measured: Round[] = [];
      for (let n = 0; n < warmUpRounds + rounds; n += 1) measured.push(await runRound(bench, `round-${n}`));
      return report(measured.slice(warmUpRounds), {
        days,
        events,
        errors: await countMissing(database, events * 2 * measured.length),
      });
    } finally {
      await database.close();
      await bare.stop();
      await api.stop();
    }
  });
}

interface Bench {
  readonly environment: StackEnvironment;
  readonly database: Database;
  readonly api: Served<Bootstrap>;
  readonly bare: Served<{ readonly origin: string }>;
  readonly days: number;
  readonly events: number;
  readonly connections: number;
}

/** One session, scored and recorded as any: what the others are copied from. */
async function scoreOrigin(environment: StackEnvironment, database: Database, info: Bootstrap): Promise<void> {
  const consumers = await serve<object>(serviceServer, { ...environment, VH_ROLES: 'consumers' });
  await ask(`${info.baseUrl}/lite/score`, info.projectKey, JSON.stringify({ ...scoreExample, sessionId: origin }));
  await waitFor(database, 'SELECT (SELECT count(*) FROM session_index) + (SELECT count(*) FROM scored_sessions) >= 2');
  await consumers.stop();
}

async function runRound(bench: Bench, name: string): Promise<Round> {
  const { database, environment, api, bare, events } = bench;
  const makeRef = createMakeRef(Buffer.from(environment.VH_MASTER_KEY, 'base64'));
  const sessions = sessionsOf(name, events * 2, bench.days);
  await copySessions(database, { makeRef, projectId: api.info.projectId, origin }, sessions);
  const [backlog, more] = [bodiesOf(sessions.slice(0, events)), bodiesOf(sessions.slice(events))];
  const url = `${api.info.baseUrl}/lite/events`;
  const appended = await measure(bench, { api: bare }, events, () => post(bench, `${bare.info.origin}/bulk`, backlog));
  const accepted = await measure(bench, { api }, events, () => post(bench, url, backlog));
  const before = await count(database, 'SELECT count(*)::int AS n FROM adjudications');
  const consumers = await serve<object>(serviceServer, { ...environment, VH_ROLES: 'consumers' });
  const done = (n: number): string => `SELECT count(*) >= ${before + n} FROM adjudications`;
  const first = Math.round(events * warmUpShare);
  await waitFor(database, done(first));
  const processed = await measure(bench, { api, consumers }, events - first, () => waitFor(database, allDone));
  const both = await measure(bench, { api, consumers }, events, async () => {
    await post(bench, url, more);
    await waitFor(database, allDone);
  });
  await consumers.stop();
  return { bare: appended, acceptance: accepted, processing: processed, both };
}

const allDone = `SELECT NOT EXISTS (SELECT 1 FROM adjudication_work) AND NOT EXISTS (SELECT 1 FROM label_work)
  AND NOT EXISTS (SELECT 1 FROM history WHERE published < version)`;

/** Every fourth session was rejected for fraud; each event is a day younger than its session at most. */
function bodiesOf(sessions: readonly BenchSession[]): readonly string[] {
  const events = sessions.map(({ sessionId, scoredAtMs }, n) => ({
    sessionId,
    occurredAt: new Date(scoredAtMs + 3_600_000).toISOString(),
    ...(n % 4 === 3 ? { type: 'buyer_reject', reasonClass: 'fraud' } : { type: 'complete' }),
  }));
  return Array.from({ length: Math.ceil(events.length / bulkEventsMax) }, (_, n) =>
    JSON.stringify({ events: events.slice(n * bulkEventsMax, (n + 1) * bulkEventsMax) }),
  );
}

/** Posts them, some at a time. Rejects where one is not accepted whole. */
async function post({ api, connections }: Bench, url: string, bodies: readonly string[]): Promise<void> {
  const waiting = [...bodies];
  const loop = async (): Promise<void> => {
    for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) {
      const reply = (await ask(url, api.info.projectKey, body)) as OutcomeReply;
      if (reply.accepted !== reply.received || reply.unmatched !== 0)
        throw new Error(`not accepted whole: ${JSON.stringify(reply)}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
}

async function ask(url: string, key: string, body: string): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body,
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Measures a part: its time, and the CPU of the processes that took part. */
async function measure(
  { environment }: Bench,
  { api, consumers }: { readonly api: Served<unknown>; readonly consumers?: Served<unknown> },
  events: number,
  work: () => Promise<void>,
): Promise<Part> {
  const own = () => ({ api: api.cpuMicroseconds(), consumers: consumers?.cpuMicroseconds() ?? 0 });
  const stores = countStoresCpu(new URL(environment.DATABASE_URL).pathname.slice(1));
  const [before, startMs] = [own(), performance.now()];
  await work();
  const [after, endMs] = [own(), performance.now()];
  const spent = { api: after.api - before.api, consumers: after.consumers - before.consumers, ...stores() };
  const cpu = Object.fromEntries(columns.map((name) => [name, spent[name] / events])) as Part['cpu'];
  return { eventsPerSecond: (events * 1_000) / (endMs - startMs), cpu };
}

const count = async (database: Database, sql: string): Promise<number> =>
  (await database.query<{ n: number }>(sql))[0]?.n ?? 0;

/** Until the one column of the statement is true. */
async function waitFor(database: Database, sql: string): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    const [row] = await database.query(sql);
    if (Object.values(row ?? {})[0] === true) return;
    if (performance.now() > deadlineMs) throw new Error(`did not come: ${sql}`);
    await pause(50);
  }
}

/** Events that were not stored, adjudicated, counted in the history of respondents and sources, or published. */
async function countMissing(database: Database, events: number): Promise<number> {
  const [row] = await database.query<Record<string, number>>(
    `SELECT (SELECT count(*) FROM outcomes)::int AS stored, (SELECT count(*) FROM adjudications)::int AS adjudicated,
            (SELECT count(*) FROM scored_sessions WHERE label <> 'none')::int AS labelled,
            (SELECT sum((day.value ->> 0)::int) / 2 FROM history, jsonb_each(days) AS day WHERE published = version)::int AS published`,
  );
  return Object.values(row ?? { stored: 0 }).reduce((sum, n) => sum + Math.abs(events - n), 0);
}

function report(
  rounds: readonly Round[],
  { days, events, errors }: { readonly days: number; readonly events: number; readonly errors: number },
): BenchResult {
  const of = (part: keyof Round, read: (part: Part) => number): number =>
    median(rounds.map((round) => read(round[part])));
  const row = (title: string, part: keyof Round): string =>
    [
      title.padEnd(30),
      of(part, ({ eventsPerSecond }) => eventsPerSecond)
        .toFixed(0)
        .padEnd(10),
      ...columns.map((name) =>
        of(part, ({ cpu }) => cpu[name])
          .toFixed(1)
          .padEnd(10),
      ),
    ]
      .join('')
      .trimEnd();
  const speed = (part: keyof Round): number => Math.round(of(part, ({ eventsPerSecond }) => eventsPerSecond));
  const total = (part: keyof Round): number =>
    Math.round(of(part, ({ cpu }) => Object.values(cpu).reduce((sum, each) => sum + each, 0)) * 10) / 10;
  return {
    table: [
      `${rounds.length} rounds of twice ${events} events, ${days} days of receipts, ${errors} missing; CPU in us an event`,
      `${''.padEnd(30)}events/s  ${columns.map((name) => name.padEnd(10)).join('')}`.trimEnd(),
      row('bare route to Kafka', 'bare'),
      row('accepted', 'acceptance'),
      row('worked off', 'processing'),
      row('accepted and worked off', 'both'),
    ].join('\n'),
    ratios: {
      missing: errors,
      bare: speed('bare'),
      accepted: speed('acceptance'),
      workedOff: speed('processing'),
      both: speed('both'),
      acceptedToBare: Math.round((speed('acceptance') / speed('bare')) * 1_000) / 1_000,
      acceptedCpu: total('acceptance'),
      workedOffCpu: total('processing'),
    },
  };
}
