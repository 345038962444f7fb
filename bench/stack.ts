/** The running stack of real stores, and what a bench has of its own there: topics that nobody else reads, and a database that is dropped at its end. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/package-root.js';
import { openPostgres } from '../src/stores/database/postgres/open.js';

interface StackAddresses {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly kafkaBrokers: string;
}

/** null where no stack runs. */
export function findStack(): StackAddresses | null {
  const file = join(packageRoot, '.stack', 'stack.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as StackAddresses) : null;
}

/** Settings of a service on the stack, as environment variables. */
export type StackEnvironment = Readonly<
  Record<
    'DATABASE_URL' | 'REDIS_URL' | 'KAFKA_BROKERS' | 'KAFKA_TOPIC_PREFIX' | 'VH_MASTER_KEY' | 'VH_BOOTSTRAP',
    string
  >
>;

/** Runs `work` with a database and topics of its own. Rejects where no stack runs. */
export async function withStack<T>(work: (environment: StackEnvironment) => Promise<T>): Promise<T> {
  const stack = findStack();
  if (stack === null) throw new Error('The real stores do not run. Start them with "npm run stack -- start".');
  const name = `bench_${process.pid}_${randomBytes(3).toString('hex')}`;
  const server = await openPostgres({ url: stack.databaseUrl, poolMax: 1, deadlineMs: 60_000 });
  await server.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  try {
    return await work({
      DATABASE_URL: stack.databaseUrl.replace(/\/[^/]*$/, `/${name}`),
      REDIS_URL: stack.redisUrl,
      KAFKA_BROKERS: stack.kafkaBrokers,
      KAFKA_TOPIC_PREFIX: `${name}.`,
      VH_MASTER_KEY: randomBytes(32).toString('base64'),
      VH_BOOTSTRAP: 'on',
    });
  } finally {
    await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await server.close();
  }
}
