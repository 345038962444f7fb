/**
 * Bench of sizes: what one scored session leaves in each store, without a probe and with one. Redis by kind of key, as `MEMORY USAGE` counts it, in a
 * server that it starts; PostgreSQL by table, on the running stack; and the record in Kafka.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { openPostgres } from '../src/stores/database/postgres/open.js';
import type { Database } from '../src/stores/database/port.js';
import { startRedis } from '../test/stores/counters/redis-server.js';
import type { BenchResult } from './bench-result.js';
import { usedBytes } from './counter-sessions.js';
import { createLoad, type Load, type Target } from './load.js';
import { markdownTable } from './markdown.js';
import { serve } from './process.js';
import { scoreBodies } from './score-bodies.js';
import { withStack } from './stack.js';

/** Bytes by what holds them. */
type Sizes = ReadonlyMap<string, number>;

const secondsMax = 600;
const pollMs = 100;
const kinds = ['plain', 'probed'] as const;

export interface SessionBytesOptions {
  /** Sessions of each kind. */
  readonly events: number;
}

export async function benchSessionBytes({ events: count }: SessionBytesOptions): Promise<BenchResult> {
  const server = await startRedis();
  if (server === null) throw new Error('The bench of sizes needs redis-server on the path.');
  const admin = new Redis(server.url);
  try {
    return await withStack(async (stack) => {
      const database = await openPostgres({ url: stack.DATABASE_URL, poolMax: 2, deadlineMs: 60_000 });
      const environment = { ...stack, REDIS_URL: server.url };
      const served = await serve<Bootstrap>(new URL('./service-server.js', import.meta.url), environment);
      try {
        const read = async (): Promise<Sizes> =>
          new Map([...(await redisSizes(admin)), ...(await tableSizes(database))]);
        const states = [await read()];
        for (const [n] of kinds.entries()) {
          await scoreSessions(createLoad(32), served.info, { first: n * 10 * count, count, probed: n === 1 });
          await recorded(database, (n + 1) * count);
          states.push(await read());
        }
        return report(states, count);
      } finally {
        await served.stop();
        await database.close();
      }
    });
  } finally {
    admin.disconnect();
    await server.close();
  }
}

interface Sessions {
  readonly first: number;
  readonly count: number;
  readonly probed: boolean;
}

async function scoreSessions(load: Load, info: Bootstrap, { first, count, probed }: Sessions): Promise<void> {
  const { siteUrl: origin, projectKey, probeKey } = info;
  const post = async (path: string, headers: Target['headers'], body: Target['body']): Promise<void> => {
    const { answers } = await load.closed({ origin, path: `/api/v1${path}`, headers, body }, secondsMax, count);
    if (answers !== count) throw new Error(`${path} answered ${answers} of ${count}`);
  };
  if (probed) await post('/public/lite/probe', {}, (n) => scoreBodies.probe(first + n, probeKey));
  await post('/lite/score', { 'x-api-key': projectKey }, (n) => scoreBodies.score(first + n));
}

async function recorded(database: Database, count: number): Promise<void> {
  const query =
    'SELECT (SELECT count(*) FROM receipts)::int AS receipts, (SELECT count(*) FROM scored_sessions)::int AS sessions';
  for (;;) {
    const [row] = await database.query<{ receipts: number; sessions: number }>(query);
    if (row !== undefined && row.receipts >= count && row.sessions >= count) return;
    await pause(pollMs);
  }
}

const scanCount = 1_000;

/** By the letters that name a kind of key in docs/internals/redis-keys.md, and `all` as the server counts all of its memory. */
async function redisSizes(admin: Redis): Promise<Sizes> {
  const sizes = new Map([['Redis, all', await usedBytes(admin)]]);
  for await (const keys of admin.scanStream({ count: scanCount }) as AsyncIterable<string[]>) {
    const bytes = await Promise.all(keys.map((key) => admin.memory('USAGE', key)));
    for (const [n, key] of keys.entries()) {
      const kind = `Redis, \`${/^\{[^}]*\}:(?:~\w+:)?(?:[0-9a-f]{16}:)?([a-z]+(?::[ADR](?=[0-9a-f]))?)/.exec(key)?.[1] ?? 'other'}\``;
      sizes.set(kind, (sizes.get(kind) ?? 0) + (bytes[n] ?? 0));
    }
  }
  return sizes;
}

async function tableSizes(database: Database): Promise<Sizes> {
  const rows = await database.query<{ name: string; bytes: number }>(
    `SELECT coalesce(parent.relname, one.relname)::text AS name, sum(pg_total_relation_size(one.oid))::int AS bytes
     FROM pg_class one LEFT JOIN pg_inherits ON inhrelid = one.oid LEFT JOIN pg_class parent ON parent.oid = inhparent
     WHERE one.relkind = 'r' AND one.relnamespace = 'public'::regnamespace GROUP BY 1`,
    [],
  );
  const [record] = await database.query<{ bytes: number }>(
    'SELECT coalesce(sum(octet_length(record) + octet_length(seal)), 0)::int AS bytes FROM receipts',
    [],
  );
  return new Map([
    ...rows.map(({ name, bytes }) => [`PostgreSQL, \`${name}\` with indexes`, bytes] as const),
    ['Kafka, record and seal', record?.bytes ?? 0],
  ]);
}

function report(states: readonly Sizes[], count: number): BenchResult {
  const grown = kinds.map(
    (_, n) =>
      (name: string): number =>
        Math.round(((states[n + 1]?.get(name) ?? 0) - (states[n]?.get(name) ?? 0)) / count),
  );
  const names = [...new Set(states.flatMap((sizes) => [...sizes.keys()]))].filter((name) =>
    grown.some((of) => of(name) > 0),
  );
  return {
    table: markdownTable(
      [`bytes a session, of ${count}`, ...kinds],
      names.sort().map((name) => [name, ...grown.map((of) => String(of(name)))]),
    ),
    ratios: Object.fromEntries(kinds.map((kind, n) => [`${kind}RedisBytes`, grown[n]?.('Redis, all') ?? NaN])),
  };
}
