/**
 * The connection to Redis, one node or a cluster. While it is away, calls fail at once, and unanswered ones at their deadline, always as
 * StoreUnavailable. A sent call is never repeated. Calls in flight are bounded.
 */
import { Cluster, type Redis } from 'ioredis';
import { Fault, storeUnavailable } from '../../../errors.js';
import { causeOf, nameRedis } from '../../store-report.js';
import { createClient, keepAlive } from './client.js';
import { watchNodeErrors } from './node-errors.js';
import { BytesCall, type BytesCommand } from './bytes-call.js';
import { createScriptRunner } from './script-runner.js';
import type { Argument, Library, Script } from './scripts.js';

/** A call on its way: whoever waits for it may have given up. */
export interface Waited {
  isOver(): boolean;
  /** The deadline begins again. */
  renew(): void;
}

export interface RedisConnection {
  /** Writes something small: a replica, and a server that is short of memory or of replicas, answers a ping all the same. */
  checkWrite(): Promise<void>;
  /** Runs a script on one key; the server learns it when it does not know it yet. */
  run(script: Script, key: string, args: readonly Argument[]): Promise<unknown>;
  /** Waits for the work until the deadline. What is not done by then goes on: a call that was sent may be counted late, as any. */
  within<T>(work: (waited: Waited) => Promise<T>): Promise<T>;
  /** Without a deadline, with the arguments that are known once everything else of this turn of the event loop was done. */
  runAtTurnEnd(script: Script, key: string, argumentsOf: () => readonly Argument[]): Promise<unknown>;
  /** Sends all of them together; answers their replies, without a deadline. */
  sendAll(commands: readonly BytesCommand[]): Promise<readonly unknown[]>;
  /** These sections of INFO from each server that keeps counts, as `name:value` lines. */
  describe(sections: readonly ('memory' | 'persistence')[]): Promise<readonly string[]>;
  /** Calls back whenever a connection was made, the first one aside. */
  onReconnect(listener: () => void): void;
  /** How often the connection broke, or changed to another server. */
  interruptions(): number;
  /** The server’s time, milliseconds since 1970. */
  time(): Promise<number>;
  close(): Promise<void>;
}

export interface RedisLogger {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}

/** Calls under way at once; beyond it the store counts as unavailable rather than as a growing queue. */
const inFlightMax = 5_000;

/** Holds nothing; whether it can be written is all. */
const checkKey = 'vh:check';
const checkKeepMs = 60_000;

export interface RedisAddress {
  readonly url: string;
  readonly deadlineMs: number;
  readonly library: Library;
  readonly logger: RedisLogger | undefined;
}

/** Connects, waiting at most the deadline; a store that is away by then is connected to when it comes. */
export async function connectRedis({ url, deadlineMs, library, logger }: RedisAddress): Promise<RedisConnection> {
  const client = createClient(url, deadlineMs);
  const runScript = createScriptRunner(client, library, (reason) =>
    logger?.info({ reason }, 'Redis does not let functions be loaded; scripts do the same at more cost.'),
  );
  const store = nameRedis(url);
  const nodeErrors = watchNodeErrors(client);
  let away = false;
  let isClosed = false;
  let problem: string | null = null;
  let interruptions = 0;
  for (const event of ['close', '-node', '+node']) client.on(event, () => (interruptions += 1));
  client.on('ready', () => {
    if (away) logger?.info({}, 'Redis is available again');
    away = false;
    problem = null;
  });
  const noteError = (error: unknown): void => {
    problem = nodeErrors.explain(error);
    if (!away) logger?.warn({ store, reason: problem }, 'Redis is unavailable; scoring continues without counters');
    away = true;
  };
  client.on('error', noteError);
  const letEnd = keepAlive(client);
  // The client says no more of a connection that it has not; what became of the last one says why.
  const describe = (error: unknown): string =>
    error instanceof Fault ? causeOf(error) : `${store}: ${problem ?? nodeErrors.explain(error)}`;
  const withDeadline = createDeadline(deadlineMs, store, describe);
  const gathering = createGathering(client);
  const connect = (): Promise<void> =>
    client.connect().catch((error: unknown) => {
      // A name that is unknown, or a server that hangs up, is no error event. The client goes on trying.
      if (!away && !isClosed) noteError(error);
    });
  await withDeadline(connect).catch(() => undefined);

  return {
    checkWrite: async () => void (await withDeadline(() => client.set(checkKey, '', 'PX', checkKeepMs))),
    run: (script, key, args) =>
      withDeadline(() => {
        gathering.open();
        return runScript(script, key, args);
      }),
    runAtTurnEnd: (script, key, argumentsOf) => gathering.atEnd(async () => runScript(script, key, argumentsOf())),
    within: withDeadline,
    sendAll: async (commands) => {
      gathering.open();
      const send = (command: BytesCommand): Promise<unknown> =>
        command instanceof BytesCall ? Promise.resolve(client.sendCommand(command)) : runScript.ofBytes(command);
      const [first] = commands;
      return commands.length === 1 && first !== undefined ? [await send(first)] : Promise.all(commands.map(send));
    },
    describe: (sections) => withDeadline(() => describeServers(client, sections)),
    onReconnect: (listener) => void client.on('ready', listener),
    interruptions: () => interruptions,
    time: async () => {
      const [seconds = 0, microseconds = 0] = await withDeadline(() => client.time());
      return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    },
    close: async () => {
      isClosed = true;
      letEnd();
      await withDeadline(() => client.quit()).catch(() => undefined);
      client.disconnect();
    },
  };
}

function describeServers(client: Redis | Cluster, sections: Parameters<RedisConnection['describe']>[0]) {
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  return Promise.all(
    servers.map(async (server) => (await Promise.all(sections.map((section) => server.info(section)))).join('\n')),
  );
}

/**
 * Call it before each call: all calls of one turn of the event loop leave in one write, each with its own answer. A cluster’s client does
 * its own.
 */
function createGathering(client: Redis | Cluster) {
  let isOpen = false;
  let last: (() => void)[] = [];
  const runLast = (): void => {
    const works = last;
    last = [];
    for (const work of works) work();
  };
  const open = (): void => {
    if (isOpen || client instanceof Cluster || client.status !== 'ready') return;
    const { stream } = client;
    isOpen = true;
    stream.cork();
    setImmediate(() => {
      runLast();
      isOpen = false;
      stream.uncork();
    });
  };
  /** Runs as the last write of the turn, when nothing more is added to it. */
  const atEnd = <T>(work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      last.push(() => void work().then(resolve, reject));
      open();
      if (!isOpen && last.length === 1) setImmediate(runLast);
    });
  return { open, atEnd };
}

/** Turns every failure, and no answer in time, into StoreUnavailable. */
function createDeadline(
  deadlineMs: number,
  store: string,
  describe: (error: unknown) => string,
): RedisConnection['within'] {
  let inFlight = 0;
  return (work) =>
    new Promise((resolve, reject) => {
      if (inFlight >= inFlightMax) {
        reject(storeUnavailable(`${store}: ${inFlight} calls are under way`));
        return;
      }
      inFlight += 1;
      let isOver = false;
      let round = 0;
      const giveUp = (ofRound: number): void => {
        if (ofRound !== round) return;
        isOver = true;
        reject(storeUnavailable(`${store}: no answer within ${deadlineMs} ms`));
      };
      // After a stall of this process timers come before what lies in its sockets: an answer that came in time is read first.
      const timer = setTimeout(() => setImmediate(giveUp, round), deadlineMs);
      const renew = (): void => {
        if (isOver) return;
        round += 1;
        timer.refresh();
      };
      const end = (): void => {
        inFlight -= 1;
        clearTimeout(timer);
      };
      // A reply after the deadline settles nothing.
      work({ isOver: () => isOver, renew }).then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(storeUnavailable(describe(error), error));
        },
      );
    });
}
