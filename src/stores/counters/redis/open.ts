/**
 * The counters store in Redis 7 or a Redis Cluster, shared by all instances. A call reads, decides, and writes with one script that refuses if what
 * was read has changed: two round trips or more, of which the last is atomic. All its keys lie in one slot. Windows of counts follow the caller’s
 * clock; those of limits, and expiries, follow the server’s.
 * Redis must run with `maxmemory-policy noeviction`: short of memory it then refuses, and the call fails as
 * StoreUnavailable, where any other policy would let counts vanish.
 */
import type { RateState } from '../../../contract/rate.js';
import { bounds, judgeRates } from '../bounds.js';
import { publishHistories } from '../counting/histories.js';
import { keysOf, probeKeyOf, tagOf } from '../counting/keys.js';
import { findProbe, storeProbe } from '../counting/probes.js';
import { findReceipt } from '../counting/receipts.js';
import { countScore, restoreSession, wereScored } from '../counting/score.js';
import { Windows } from '../counting/windows.js';
import { splitNamespace } from '../namespace.js';
import type { CountedSession, Counters, ScoreCountInput } from '../port.js';
import { createCompleteness } from './completeness.js';
import { connectRedis, type RedisAddress, type RedisConnection, type RedisLogger } from './connection.js';
import { createRateTaker } from './rate-taker.js';
import { createLocks } from './locks.js';
import { loadScripts, type Scripts } from './scripts.js';
import { checkServers, openStoreClock } from './server.js';
import { createStore, type RedisStore } from './store.js';

export interface RedisCountersOptions {
  /** See createClient. */
  readonly url: string;
  /** How long a call may take before it fails. */
  readonly deadlineMs: number;
  readonly logger?: RedisLogger;
  /** Decides which restored sessions have expired. */
  readonly now?: () => number;
  /** The clock that the times of calls are taken from; how far it is from the store’s is made up for in the windows of limits. */
  readonly systemClock?: () => number;
}

const noRate: RateState = judgeRates([], [], 0);

/** Histories published and receipts released or forgotten together, which holds up everybody else’s calls meanwhile. */
const portionSize = 100;

/** Sessions restored at the same time. */
const restoredTogether = 20;

/** Opens the store; one that is away does not fail the start, but every call until it is back. One that throws keys away fails the start. */
export async function openRedisCounters({
  url,
  deadlineMs,
  logger,
  now = Date.now,
  systemClock = Date.now,
}: RedisCountersOptions): Promise<Counters> {
  const { scripts, library } = await loadScripts();
  const connection = await connectChecked({ url, deadlineMs, library, logger });
  const takeRate = createRateTaker(connection, scripts);
  const clock = await openStoreClock(() => connection.time(), systemClock);
  const store = createStore(connection, scripts);
  const windows = new Windows();
  return {
    ping: () => connection.checkWrite(),
    countScore: async (input) => {
      const { namespace, limits, nowMs } = input;
      let rate: RateState = noRate;
      const takeLimits = async (): Promise<boolean> => {
        rate = await takeRate(splitNamespace(namespace).holder, clock.at(nowMs), limits);
        return rate.allowed;
      };
      const scored = await store.runIf(takeLimits, [...namesOf(input), input.receiptId], () =>
        countScore(windows, input),
      );
      return scored === null ? { kind: 'limited', rate } : { ...scored, rate };
    },
    storeProbe: (input) => store.run([input.session, input.nonce], () => storeProbe(input)),
    noteMovement: async (input) => {
      const { nowMs, projectId, session, marks } = input;
      return Number(await connection.run(scripts.noteMovement, tagOf(projectId), [nowMs, session, ...marks]));
    },
    findProbe: (projectId, session, nowMs) => store.run([], () => findProbe(projectId, session, nowMs)),
    wereScored: async (namespace, sessions) =>
      sessions.length === 0 ? [] : store.run([], () => wereScored(namespace, sessions)),
    ...createReceipts(connection, scripts, store),
    takeRate: (tag, nowMs, limits) => connection.within(() => takeRate(tag, clock.at(nowMs), limits)),
    publishHistory: async (namespace, records) => {
      for (const portion of portionsOf(records, portionSize))
        await store.run([], () => publishHistories(namespace, portion));
    },
    restoreSessions: async (namespace, sessions) => {
      if (sessions.length > bounds.restoreMax)
        throw new RangeError(`at most ${bounds.restoreMax} sessions are restored at once`);
      const clockMs = now();
      const { hold } = createLocks();
      // Each writes the log of its scope and the baseline of its source: in their order, and before the deadline of any begins.
      const restore = (session: CountedSession): Promise<void> =>
        hold([session.scope, session.source ?? session.scope], () =>
          store.run(namesOf(session), () => restoreSession(windows, { namespace, session, clockMs })),
        );
      for (const portion of portionsOf(sessions, restoredTogether)) await Promise.all(portion.map(restore));
    },
    ...createCompleteness(connection, scripts, now),
    close: () => {
      clock.close();
      return connection.close();
    },
  };
}

/** Calls of one process that share one of these are run in turns. References of all kinds differ. */
function namesOf(session: CountedSession | ScoreCountInput): string[] {
  const { respondent, device, address, prefix } = session;
  const names = [session.session, address, prefix];
  if (respondent !== null) names.push(respondent);
  if (device !== null) names.push(device);
  if ('idempotency' in session && session.idempotency != null) names.push(session.idempotency);
  return names;
}

async function connectChecked(address: RedisAddress): Promise<RedisConnection> {
  const connection = await connectRedis(address);
  try {
    await checkServers(connection, address.logger);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function createReceipts(
  connection: RedisConnection,
  scripts: Scripts,
  store: RedisStore,
): Pick<Counters, 'recentReceipt' | 'releaseReceipts' | 'forgetReceipts' | 'forgetProbes'> {
  /** After the counts that are on their way: none brings back what is removed. */
  const remove = async (names: readonly string[], keyOf: (name: string) => string): Promise<void> => {
    for (const portion of portionsOf(names, portionSize)) await store.remove(portion, portion.map(keyOf));
  };
  return {
    recentReceipt: (namespace, receiptId) => store.run([], () => findReceipt(namespace, receiptId)),
    releaseReceipts: async (namespace, receiptIds) => {
      for (const portion of portionsOf(receiptIds, portionSize))
        await connection.run(scripts.releaseReceipts, tagOf(namespace), portion);
    },
    forgetReceipts: (namespace, receiptIds) => {
      const keys = keysOf(namespace, '');
      return remove(receiptIds, (receiptId) => keys.receipt(receiptId));
    },
    forgetProbes: (projectId, sessions) => remove(sessions, (session) => probeKeyOf(projectId, session)),
  };
}

function* portionsOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}
