/**
 * The counters store in this process’s memory: exact, for one instance, kept over a restart by a snapshot that
 * `close` writes. Bounded by `keysMax`; when that is reached and nothing has expired, writes are refused with
 * StoreUnavailable and nothing is forgotten. A crash loses what was counted since the last snapshot.
 */
import { storeUnavailable } from '../../../errors.js';
import { bounds } from '../bounds.js';
import type { Counters, RecentReceipt, ScoreCountInput, ScoreCountResult } from '../port.js';
import { admit, createGuard, findReplay, noteReplay, type Guard } from './guards.js';
import { createKeyspace, type Keyspace } from './keyspace.js';
import { createHistories, type Histories } from './histories.js';
import { createProbes, type Probes } from './probes.js';
import { createRates } from './rates.js';
import { createRelations, relationsKeysMax } from './relations.js';
import { readSnapshot, writeSnapshot, type SnapshotNote } from './snapshot.js';
import { createVelocity, velocityKeysMax } from './velocity.js';

export interface MemoryCountersOptions {
  /** Where the snapshot is read from and written to; null keeps nothing. */
  readonly snapshotPath: string | null;
  /** Largest number of keys held at once. A session takes about 15, and a probe two more; with both it weighs some 10 KB. */
  readonly keysMax: number;
  readonly now?: () => number;
  /** Told of a snapshot that could not be read, as a SnapshotNote. */
  readonly logger?: { warn(note: SnapshotNote, message: string): void };
}

/** Opens the store, from its snapshot where there is one. A broken snapshot is reported and left out; it never fails the start. */
export async function openMemoryCounters({ snapshotPath, keysMax, now = Date.now, logger }: MemoryCountersOptions): Promise<Counters> {
  const keyspace = createKeyspace(keysMax);
  const rates = createRates(keyspace);
  const probes = createProbes(keyspace);
  const receipts = keyspace.table<RecentReceipt>('receipts');
  const histories = createHistories(keyspace, now);
  const countScore = createCountScore(keyspace, rates, probes, histories);
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
    countScore: async (input) => whileOpen(() => countScore(input)),
    storeProbe: async (input) => whileOpen(() => probes.store(input)),
    recentReceipt: async (projectId, receiptId) => whileOpen(() => receipts.get(`${projectId}:${receiptId}`, now()) ?? null),
    takeRate: async (tag, nowMs, limits) =>
      whileOpen(() => {
        keyspace.reserve(limits.length, nowMs);
        return rates(tag, nowMs, limits);
      }),
    publishHistory: async (projectId, records) => whileOpen(() => histories.publish(projectId, records)),
    restoreSessions: async () => whileOpen(() => undefined),
    isWarm: async (projectId) => whileOpen(() => histories.isWarm(projectId, now())),
    markWarm: async (projectId) => whileOpen(() => histories.markWarm(projectId)),
    close: async () => {
      if (closed) return;
      closed = true;
      if (snapshotPath !== null) await writeSnapshot(snapshotPath, keyspace.dump(now()));
    },
  };
}

/** Everything below runs in one turn of the event loop: that makes it one atomic step. */
function createCountScore(keyspace: Keyspace, rates: ReturnType<typeof createRates>, probes: Probes, histories: Histories): (input: ScoreCountInput) => ScoreCountResult {
  const guards = keyspace.table<Guard>('guards');
  const receipts = keyspace.table<RecentReceipt>('receipts');
  const signatures = keyspace.table<string>('signatures');
  const countVelocity = createVelocity(keyspace);
  const countRelations = createRelations(keyspace);

  const claimSignature = ({ projectId, signature, session, nowMs }: ScoreCountInput): boolean => {
    if (signature === null) return false;
    const key = `${projectId}:${signature}`;
    const owner = signatures.get(key, nowMs);
    if (owner === undefined) signatures.set(key, session, nowMs, bounds.signatureMs);
    return owner === undefined || owner === session;
  };

  return (input) => {
    const { nowMs, projectId, session, receiptId } = input;
    // The guard, the receipt and the signature are the last three.
    keyspace.reserve(input.limits.length + velocityKeysMax + relationsKeysMax + 3, nowMs);
    const rate = rates(projectId, nowMs, input.limits);
    if (!rate.allowed) return { kind: 'limited', rate };

    const warm = histories.isWarm(projectId, nowMs);
    const { probe, version } = probes.read(projectId, session, nowMs);
    const guardKey = `${projectId}:${session}`;
    const replayId = findReplay(guards.get(guardKey, nowMs), input.fingerprint, version, nowMs);
    const recorded = replayId === null ? undefined : receipts.get(`${projectId}:${replayId}`, nowMs);
    if (recorded !== undefined) return { kind: 'replayed', rate, recorded };

    const guard = guards.take(guardKey, nowMs, bounds.guardMs, () => createGuard(nowMs));
    const device = input.device ?? probe?.device ?? null;
    const call = { input, device, probe, firstAtMs: guard.firstAtMs, admit: (counter: string) => admit(guard, counter) };
    const counts = { ...countVelocity(call), ...countRelations(call) };
    const signatureFresh = claimSignature(input);
    const history = histories.read(input);
    noteReplay(guard, input.fingerprint, version, receiptId, nowMs);
    // A copy: the caller’s bytes may be a window on a pool that it writes on.
    const content = new Uint8Array(input.content);
    receipts.set(`${projectId}:${receiptId}`, { receiptId, projectId, content, counts, probe, device, signatureFresh, warm, history }, nowMs, bounds.receiptMs);
    return { kind: 'counted', rate, receiptId, counts, probe, device, signatureFresh, warm, history };
  };
}
