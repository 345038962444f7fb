/**
 * The counters store in this process’s memory: exact, for one instance, kept over a restart by a snapshot that
 * `close` writes. Bounded by `keysMax`; when that is reached and nothing has expired, writes are refused with
 * StoreUnavailable and nothing is forgotten. A crash loses what was counted since the last snapshot.
 */
import { storeUnavailable } from '../../../errors.js';
import { bounds } from '../bounds.js';
import { keysOf, probeKeyOf } from '../counting/keys.js';
import { publishHistories } from '../counting/histories.js';
import { findProbe, storeProbe } from '../counting/probes.js';
import { findReceipt } from '../counting/receipts.js';
import { countScore, packMark, restoreSession, wereScored } from '../counting/score.js';
import { Windows } from '../counting/windows.js';
import { splitNamespace, type Namespace } from '../namespace.js';
import type { Completeness, Counters, ScoreCountInput, ScoreCountResult } from '../port.js';
import { createKeyspace } from './keyspace.js';
import { createMovements } from './movements.js';
import { createRates } from './rates.js';
import { readSnapshot, writeSnapshot, type SnapshotNote } from './snapshot.js';
import { createStore, type MemoryStore } from './store.js';

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
  const noteMovement = createMovements(keyspace);
  const store = createStore(keyspace);
  const windows = new Windows();
  if (snapshotPath !== null) {
    const { dumps, note } = await readSnapshot(snapshotPath);
    keyspace.load(dumps, now());
    if (note !== null) logger?.warn(note, 'The snapshot of the counters cannot be read: counting starts from nothing.');
  }
  const takeRate: Rates = (tag, nowMs, limits) => {
    keyspace.reserve(limits.length, nowMs);
    return rates(tag, nowMs, limits);
  };
  const score = (input: ScoreCountInput): ScoreCountResult => {
    const rate = takeRate(splitNamespace(input.namespace).holder, input.nowMs, input.limits);
    if (!rate.allowed) return { kind: 'limited', rate };
    return { ...store.run(countScore(windows, input), input.nowMs), rate };
  };

  let closed = false;
  const whileOpen = <T>(work: () => T): T => {
    if (closed) throw storeUnavailable('counters in memory: closed');
    return work();
  };
  const receiptKey = (namespace: string, receiptId: string): string => keysOf(namespace, '').receipt(receiptId);
  return {
    ping: async () => whileOpen(() => undefined),
    countScore: async (input) => whileOpen(() => score(input)),
    storeProbe: async (input) => whileOpen(() => store.run(storeProbe(input), input.nowMs)),
    noteMovement: async (input) => whileOpen(() => noteMovement(input)),
    findProbe: async (projectId, session, nowMs) =>
      whileOpen(() => store.run(findProbe(projectId, session, nowMs), nowMs)),
    wereScored: async (namespace, sessions) => whileOpen(() => store.run(wereScored(namespace, sessions), now())),
    recentReceipt: async (namespace, receiptId) => whileOpen(() => store.run(findReceipt(namespace, receiptId), now())),
    releaseReceipts: async (namespace, ids) =>
      whileOpen(() => ids.forEach((id) => store.shorten(receiptKey(namespace, id), now(), bounds.recordedReceiptMs))),
    forgetReceipts: async (namespace, ids) =>
      whileOpen(() => ids.forEach((id) => store.remove(receiptKey(namespace, id)))),
    forgetProbes: async (projectId, sessions) =>
      whileOpen(() => sessions.forEach((session) => store.remove(probeKeyOf(projectId, session)))),
    takeRate: async (tag, nowMs, limits) => whileOpen(() => takeRate(tag, nowMs, limits)),
    publishHistory: async (namespace, records) =>
      whileOpen(() => store.run(publishHistories(namespace, records), now())),
    restoreSessions: async (namespace, sessions) =>
      whileOpen(() => {
        if (sessions.length > bounds.restoreMax)
          throw new RangeError(`at most ${bounds.restoreMax} sessions are restored at once`);
        const clockMs = now();
        for (const session of sessions) store.run(restoreSession(windows, { namespace, session, clockMs }), clockMs);
      }),
    ...createCompleteness(store, now, whileOpen),
    close: async () => {
      if (closed) return;
      closed = true;
      if (snapshotPath !== null) await writeSnapshot(snapshotPath, keyspace.dump(now()));
    },
  };
}

type Rates = ReturnType<typeof createRates>;

/** It is this process's alone, and lost with it. */
function createCompleteness(store: MemoryStore, now: () => number, whileOpen: <T>(work: () => T) => T): Completeness {
  /** Seen complete by this process. The mark of one that is not scored ends after days, and what was counted is still there. */
  const whole = new Set<Namespace>();
  const mark = (namespace: Namespace): void => {
    whole.add(namespace);
    store.set(keysOf(namespace, '').complete, packMark(now()), now(), bounds.completeMs);
  };
  return {
    checkComplete: async (namespace) =>
      whileOpen(() => {
        const isMarked = store.get(keysOf(namespace, '').complete, now()) !== undefined;
        if (isMarked) whole.add(namespace);
        else if (whole.has(namespace)) mark(namespace);
        return { isComplete: isMarked || whole.has(namespace), keptUpToMs: null };
      }),
    claimRebuild: async () => whileOpen(() => 'held' as const),
    noteRebuilt: async () => whileOpen(() => true),
    rebuiltDownTo: async () => whileOpen(() => null),
    markComplete: async (namespace) =>
      whileOpen(() => {
        mark(namespace);
        return true;
      }),
    interruptions: () => 0,
  };
}
