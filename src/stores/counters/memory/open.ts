/**
 * The counters store in this process’s memory: exact, for one instance, kept over a restart by a snapshot that
 * `close` writes. Bounded by `keysMax`; when that is reached and nothing has expired, writes are refused with
 * StoreUnavailable and nothing is forgotten. A crash loses what was counted since the last snapshot.
 */
import { storeUnavailable } from '../../../errors.js';
import type { Counters } from '../port.js';
import { createCounting } from './counting.js';
import { createKeyspace } from './keyspace.js';
import { createHistories } from './histories.js';
import { createReceipts } from './kept-receipts.js';
import { createMovements } from './movements.js';
import { createProbes } from './probes.js';
import { createRates } from './rates.js';
import { readSnapshot, writeSnapshot, type SnapshotNote } from './snapshot.js';

export interface MemoryCountersOptions {
  /** The snapshot is read from and written to this path; null keeps nothing. */
  readonly snapshotPath: string | null;
  /** Largest number of keys held at once. A session takes about 12, and a probe two more. */
  readonly keysMax: number;
  readonly now?: () => number;
  /** Receives a SnapshotNote for a snapshot that could not be read. */
  readonly logger?: { warn(note: SnapshotNote, message: string): void };
}

/** Opens the store, from its snapshot where there is one. A broken snapshot is reported and left out; it never fails the start. */
export async function openMemoryCounters({
  snapshotPath,
  keysMax,
  now = Date.now,
  logger,
}: MemoryCountersOptions): Promise<Counters> {
  const keyspace = createKeyspace(keysMax);
  const rates = createRates(keyspace);
  const probes = createProbes(keyspace);
  const noteMovement = createMovements(keyspace);
  const receipts = createReceipts(keyspace, probes);
  const histories = createHistories(keyspace, now);
  const counting = createCounting({ keyspace, receipts, rates, probes, histories, now });
  if (snapshotPath !== null) {
    const { dumps, note } = await readSnapshot(snapshotPath);
    keyspace.load(dumps, now());
    if (note !== null) logger?.warn(note, 'The snapshot of the counters cannot be read: counting starts from nothing.');
  }

  let closed = false;
  const whileOpen = <T>(work: () => T): T => {
    if (closed) throw storeUnavailable('counters in memory: closed');
    return work();
  };
  return {
    ping: async () => whileOpen(() => undefined),
    countScore: async (input) => whileOpen(() => counting.countScore(input)),
    storeProbe: async (input) => whileOpen(() => probes.store(input)),
    noteMovement: async (input) => whileOpen(() => noteMovement(input)),
    findProbe: async (projectId, session, nowMs) => whileOpen(() => probes.read(projectId, session, nowMs).probe),
    wereScored: async (namespace, sessions) => whileOpen(() => counting.wereScored(namespace, sessions)),
    recentReceipt: async (namespace, receiptId) => whileOpen(() => receipts.find(namespace, receiptId, now())),
    releaseReceipts: async (namespace, ids) =>
      whileOpen(() => ids.forEach((receiptId) => receipts.release(namespace, receiptId, now()))),
    forgetReceipts: async (namespace, ids) =>
      whileOpen(() => ids.forEach((receiptId) => receipts.forget(namespace, receiptId))),
    forgetProbes: async (projectId, sessions) =>
      whileOpen(() => sessions.forEach((session) => probes.forget(projectId, session))),
    takeRate: async (tag, nowMs, limits) =>
      whileOpen(() => {
        keyspace.reserve(limits.length, nowMs);
        return rates(tag, nowMs, limits);
      }),
    publishHistory: async (namespace, records) => whileOpen(() => histories.publish(namespace, records)),
    restoreSessions: async (namespace, sessions) => whileOpen(() => counting.restore(namespace, sessions)),
    checkComplete: async (namespace) =>
      whileOpen(() => ({ isComplete: histories.isComplete(namespace, now()), keptUpToMs: null })),
    // It is this process's alone, and lost with it.
    claimRebuild: async () => whileOpen(() => 'held' as const),
    noteRebuilt: async () => whileOpen(() => true),
    rebuiltDownTo: async () => whileOpen(() => null),
    markComplete: async (namespace) =>
      whileOpen(() => {
        histories.markComplete(namespace);
        return true;
      }),
    interruptions: () => 0,
    close: async () => {
      if (closed) return;
      closed = true;
      if (snapshotPath !== null) await writeSnapshot(snapshotPath, keyspace.dump(now()));
    },
  };
}
