/**
 * The real stores for tests: where they are, a fresh database from a template, and stacks of one's own that a test may stop and kill.
 *
 * Without a running stack the tests that need one say so and are left out; with VH_REQUIRE_STACK=1 they fail instead.
 */
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { migrate } from '../../src/stores/database/migrate.js';
import { migrationsDirectory } from '../../src/stores/database/migration-plan.js';
import type { Database } from '../../src/stores/database/port.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { isFree } from './ports.js';
import { repositoryPath, repositoryRoot } from './repository.js';

export interface Stack {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly kafkaBrokers: string;
}

const services = ['postgres', 'redis', 'kafka'] as const;
export type StackService = (typeof services)[number];
export type StackCommand = 'start' | 'stop' | 'kill' | 'pause' | 'resume' | 'remove';

export interface OwnStack extends Stack {
  /** How to sign in at a stack that was started secure. */
  readonly secrets: { readonly username: string; readonly password: string; readonly certificate: string } | null;
  /** Does this to the services of this stack alone: to all, or to those that are named. */
  command(command: StackCommand, services?: readonly StackService[]): Promise<void>;
}

const run = promisify(execFile);
const absence = 'The real stores do not run. Start them with "npm run stack -- start", then run the tests again.';

/** The stack that runs for all tests, or null after saying what is left out. */
export function findStack(t: Pick<Test, 'comment' | 'fail'>, leftOut: string): Stack | null {
  const stack = readRunningStack();
  if (stack !== null) return stack;
  if (process.env['VH_REQUIRE_STACK'] === '1') t.fail(`${leftOut}: ${absence}`);
  else t.comment(`Left out: ${leftOut}. ${absence}`);
  return null;
}

interface StackState extends Stack {
  readonly running: readonly StackService[];
  /** Process ids of services that run without containers. */
  readonly pids: Readonly<Record<string, number>>;
}

/** null where it is not there, or does not run. VH_STACK_FILE names another one. */
export function readRunningStack(): Stack | null {
  const file = process.env['VH_STACK_FILE'] ?? repositoryPath('.stack/stack.json');
  if (!existsSync(file)) return null;
  const state = JSON.parse(readFileSync(file, 'utf8')) as StackState;
  const isComplete =
    services.every((service) => state.running.includes(service)) && Object.values(state.pids).every(isAlive);
  return isComplete ? state : null;
}

/** After a restart of the machine the file is still there, and the processes are not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Starts services of one's own beside the shared ones, for a test that stops them; removed when the test ends. Name and ports are of this call alone. */
export async function startOwnStack(
  t: { teardown(work: () => Promise<void>): unknown },
  own: readonly StackService[],
  options: readonly '--secure'[] = [],
): Promise<OwnStack> {
  const portOffset = await freePortOffset();
  const name = `test-${process.pid}-${portOffset}`;
  const call = async (command: StackCommand, services: readonly StackService[] = own): Promise<void> => {
    await run(
      process.execPath,
      [
        repositoryPath('scripts/stack.mjs'),
        command,
        ...services,
        '--name',
        name,
        '--port-offset',
        String(portOffset),
        ...options,
      ],
      { cwd: repositoryRoot },
    );
  };
  // With all of them goes their directory.
  t.teardown(() => call('remove', services));
  await call('start');
  return {
    ...(JSON.parse(readFileSync(repositoryPath(`.stack/${name}/stack.json`), 'utf8')) as Omit<OwnStack, 'command'>),
    command: call,
  };
}

/** The ports of a stack without an offset; Kafka takes the next one, too. All stay below those that the system gives to outgoing connections. */
const basePorts = [25_432, 26_379, 29_092, 29_093];
const [offsetMin, offsetMax] = [1_600, 3_600];

async function freePortOffset(): Promise<number> {
  for (;;) {
    const offset = offsetMin + Math.floor(Math.random() * (offsetMax - offsetMin));
    const areFree = await Promise.all(basePorts.map((port) => isFree(port + offset)));
    if (areFree.every(Boolean)) return offset;
  }
}

/** A database of one's own, with all migrations applied; dropped when the test ends. Copied from a template, which takes a fraction of applying them. */
export async function createDatabase(
  t: { teardown(work: () => Promise<void>): unknown },
  stack: Stack,
): Promise<string> {
  const template = await ensureTemplate(stack);
  return copyDatabase(t, stack, template);
}

/** The same without any migration. */
export const createEmptyDatabase = (
  t: { teardown(work: () => Promise<void>): unknown },
  stack: Stack,
): Promise<string> => copyDatabase(t, stack, 'template0');

const urlOf = (stack: Stack, name: string): string => stack.databaseUrl.replace(/\/[^/]*$/, `/${name}`);

async function withServer<T>(stack: Stack, work: (server: Database) => Promise<T>): Promise<T> {
  const server = await openPostgres({ url: stack.databaseUrl, poolMax: 1, deadlineMs: 60_000 });
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

async function copyDatabase(
  t: { teardown(work: () => Promise<void>): unknown },
  stack: Stack,
  template: string,
): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await withServer(stack, (server) => server.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  t.teardown(() =>
    withServer(stack, async (server) => void (await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))),
  );
  return urlOf(stack, name);
}

/** One template for each state of the migrations. Built under another name and renamed when complete, so that no test copies half of it. */
async function ensureTemplate(stack: Stack): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(migrationsDirectory())).sort())
    hash.update(name).update(await readFile(`${migrationsDirectory()}/${name}`));
  const template = `template_${hash.digest('hex').slice(0, 24)}`;
  return withServer(stack, async (server) => {
    const exists = async () =>
      (await server.query('SELECT 1 FROM pg_database WHERE datname = $1', [template])).length > 0;
    if (await exists()) return template;
    const draft = `draft_${randomUUID().replaceAll('-', '')}`;
    await server.query(`CREATE DATABASE ${draft} TEMPLATE template0`);
    const database = await openPostgres({ url: urlOf(stack, draft), poolMax: 1, deadlineMs: 60_000 });
    try {
      await migrate(database);
    } finally {
      await database.close();
    }
    // Another test file may have been faster.
    await server
      .query(`ALTER DATABASE ${draft} RENAME TO ${template}`)
      .catch(() => server.query(`DROP DATABASE ${draft} WITH (FORCE)`));
    return template;
  });
}
