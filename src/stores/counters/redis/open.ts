/**
 * The counters store in Redis 7 or a Redis Cluster, shared by all instances. A call is one script on one slot: one
 * round trip and one atomic step. Windows of counts follow the caller’s clock; those of limits, and expiries, follow the server’s.
 * Redis must run with `maxmemory-policy noeviction`: short of memory it then refuses, and the call fails as
 * StoreUnavailable, where any other policy would let counts vanish.
 */
import { storeUnavailable } from '../../../errors.js';
import { bounds, judgeRates } from '../bounds.js';
import type { Counters, RecentReceipt, ScoreCountInput, ScoreCountResult } from '../port.js';
import { layouts, limitsAt, tagOf } from './arguments.js';
import { connectRedis, type RedisAddress, type RedisConnection, type RedisLogger } from './connection.js';
import { contentOf, decodeProbe, decodeRecord, decodeUsed, readFrame } from './record.js';
import { createRateTaker } from './rate-taker.js';
import { loadScripts, type Scripts } from './scripts.js';
import { checkServers, openStoreClock } from './server.js';
import { createCompleteness } from './completeness.js';

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

/** Histories published, receipts released or forgotten, and sessions restored by one run of a script, which holds up everybody else’s calls meanwhile. */
const publishPortion = 100;
const restorePortion = 20;

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
  return {
    ping: () => connection.checkWrite(),
    countScore: (input) => countScore(connection, scripts, input, clock.at(input.nowMs)),
    storeProbe: async (input) => {
      const answer = String(
        await connection.run(scripts.storeProbe, tagOf(input.projectId), layouts.storeProbe.write(input)),
      );
      if (answer === 'stored' || answer === 'stale' || answer === 'nonce_reused') return answer;
      throw storeUnavailable(`counters in Redis: unexpected answer to a probe: ${answer.slice(0, 100)}`);
    },
    noteMovement: async (input) => {
      const args = layouts.noteMovement.write(input, input.marks);
      return Number(await connection.run(scripts.noteMovement, tagOf(input.projectId), args));
    },
    findProbe: async (projectId, session, nowMs) => {
      const [device, ...parts] = partsOf(
        await connection.run(scripts.findProbe, tagOf(projectId), layouts.findProbe.write({ nowMs, session })),
      );
      return device == null ? null : decodeProbe([device.toString() || false], parts);
    },
    wereScored: async (namespace, sessions) => {
      if (sessions.length === 0) return [];
      const answer = await connection.run(
        scripts.wereScored,
        tagOf(namespace),
        layouts.wereScored.write(null, sessions),
      );
      return Array.isArray(answer) ? answer.map((known) => Number(known) === 1) : [];
    },
    ...createReceipts(connection, scripts),
    takeRate: (tag, nowMs, limits) => takeRate(tag, clock.at(nowMs), limits),
    publishHistory: async (namespace, records) => {
      for (const portion of portionsOf(records, publishPortion))
        await connection.run(scripts.publishHistory, tagOf(namespace), layouts.publishHistory.write(null, portion));
    },
    restoreSessions: async (namespace, sessions) => {
      if (sessions.length > bounds.restoreMax)
        throw new RangeError(`at most ${bounds.restoreMax} sessions are restored at once`);
      for (const portion of portionsOf(sessions, restorePortion)) {
        const args = layouts.restoreSessions.write(now(), portion);
        await connection.run(scripts.restoreSessions, tagOf(namespace), args);
      }
    },
    ...createCompleteness(connection, scripts, now),
    close: () => {
      clock.close();
      return connection.close();
    },
  };
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
): Pick<Counters, 'recentReceipt' | 'releaseReceipts' | 'forgetReceipts' | 'forgetProbes'> {
  const remove = async (keys: readonly string[]): Promise<void> => {
    for (const portion of portionsOf(keys, publishPortion)) await connection.remove(portion);
  };
  return {
    recentReceipt: async (namespace, receiptId) => {
      const [stored, ...probe] = partsOf(
        await connection.run(scripts.readReceipt, tagOf(namespace), layouts.readReceipt.write(receiptId)),
      );
      return stored == null ? null : readReceipt(namespace, stored, probe);
    },
    releaseReceipts: async (namespace, receiptIds) => {
      for (const portion of portionsOf(receiptIds, publishPortion))
        await connection.run(scripts.releaseReceipts, tagOf(namespace), layouts.releaseReceipts.write(null, portion));
    },
    forgetReceipts: (namespace, receiptIds) =>
      remove(receiptIds.map((receiptId) => `${tagOf(namespace)}q:${receiptId}`)),
    forgetProbes: (projectId, sessions) => remove(sessions.map((session) => `${tagOf(projectId)}p:${session}`)),
  };
}

async function countScore(
  connection: RedisConnection,
  scripts: Scripts,
  input: ScoreCountInput,
  storeNowMs: number,
): Promise<ScoreCountResult> {
  const [kind, used, record, ...probe] = partsOf(
    await connection.run(
      scripts.countScore,
      tagOf(input.namespace),
      layouts.countScore.write(input, limitsAt(input.limits, storeNowMs)),
    ),
  );
  const rate = judgeRates(input.limits, decodeUsed(used), storeNowMs);
  switch (kind?.toString()) {
    case 'limited':
      return { kind: 'limited', rate };
    case 'conflict':
      return { kind: 'conflict', rate };
    case 'replayed':
      return { kind: 'replayed', rate, recorded: readReceipt(input.namespace, record ?? Buffer.alloc(0), probe) };
    case 'released':
      return { kind: 'released', rate, receiptId: record?.toString('latin1') ?? '' };
    case 'counted':
      return { kind: 'counted', rate, ...decodeRecord(readFrame(record ?? Buffer.alloc(0)), probe) };
    default:
      throw storeUnavailable('counters in Redis: unexpected answer to a count');
  }
}

function readReceipt(namespace: string, stored: Buffer, probe: readonly (Buffer | null)[]): RecentReceipt {
  const frame = readFrame(stored);
  return { namespace, content: contentOf(frame), ...decodeRecord(frame, probe) };
}

function partsOf(answer: unknown): readonly (Buffer | null)[] {
  return Array.isArray(answer) ? (answer as readonly (Buffer | null)[]) : [];
}

function* portionsOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}
