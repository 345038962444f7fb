/**
 * Counting one session, scored now or restored. Each runs in one turn of the event loop: that makes it one atomic step.
 */
import { bounds } from '../bounds.js';
import type { RateState } from '../../../contract/rate.js';
import { splitNamespace } from '../namespace.js';
import type { CountedSession, RecentReceipt, ScoreCountInput, ScoreCountResult, StoredProbe } from '../port.js';
import { candidateOf } from './candidates.js';
import type { CountingCall } from './counting-call.js';
import { createAdmissions, createGuard, createIdempotency, findReplay, type Guard, noteReplay } from './guards.js';
import type { Histories } from './histories.js';
import type { createReceipts } from './kept-receipts.js';
import { type Keyspace, shortName } from './keyspace.js';
import type { Probes } from './probes.js';
import type { createRates } from './rates.js';
import { createRelations, relationsKeysMax } from './relations.js';
import { createVelocity, velocityKeysMax } from './velocity.js';

export interface Counting {
  countScore(input: ScoreCountInput): ScoreCountResult;
  restore(namespace: string, sessions: readonly CountedSession[]): void;
  wereScored(namespace: string, sessions: readonly string[]): readonly boolean[];
}

interface CountingDeps {
  readonly keyspace: Keyspace;
  readonly receipts: ReturnType<typeof createReceipts>;
  readonly rates: ReturnType<typeof createRates>;
  readonly probes: Probes;
  readonly histories: Histories;
  readonly now: () => number;
}

export function createCounting({ keyspace, receipts, rates, probes, histories, now }: CountingDeps): Counting {
  const { guards, enter } = createGuardTable(keyspace);
  const claimSignature = createSignatures(keyspace);
  const idempotency = createIdempotency(keyspace);
  const countVelocity = createVelocity(keyspace);
  const countRelations = createRelations(keyspace);

  const countScore = (input: ScoreCountInput): ScoreCountResult => {
    const { nowMs, namespace, receiptId } = input;
    // The guard, the receipt, the signature and the idempotency key are the last four.
    keyspace.reserve(input.limits.length + velocityKeysMax + relationsKeysMax + 4, nowMs);
    // Limits and the page’s probe are the project’s, whatever mode the key counts in.
    const { holder } = splitNamespace(namespace);
    const rate = rates(holder, nowMs, input.limits);
    if (!rate.allowed) return { kind: 'limited', rate };

    const complete = histories.isComplete(namespace, nowMs);
    const { probe, version, kept } = probes.read(holder, input.session, nowMs);
    const guardKey = guardKeyOf(namespace, input.session);
    const promised = idempotency.find(input);
    if (promised !== undefined && promised.fingerprint !== input.fingerprint) return { kind: 'conflict', rate };
    const replay = promised ?? findReplay(guards.get(guardKey, nowMs), input.fingerprint, version, nowMs);
    const recorded = replay === null ? null : receipts.find(namespace, replay.receiptId, nowMs);
    if (replay !== null && (recorded !== null || replay.receiptId !== input.gone)) {
      idempotency.note(input, replay);
      return answerRetry(rate, replay.receiptId, recorded);
    }

    const device = input.device ?? probe?.device ?? null;
    const session = sessionOf(input, device, probe);
    const { call, guard, settle } = enter({ namespace, session, clockMs: nowMs, restoring: false });
    const supersedes = guard.replays[0]?.receiptId ?? null;
    const velocity = countVelocity(call);
    const relations = countRelations(call);
    settle();
    if (relations === null) throw new Error('a session that is scored has relations');
    const { picked, neighborhood } = relations;
    noteReplay(guard, input.fingerprint, version, receiptId, nowMs);
    idempotency.note(input, { receiptId, atMs: nowMs });
    const counted = {
      receiptId,
      supersedes,
      counts: { candidates: picked.map(candidateOf), neighborhood, ...velocity },
      probe,
      device,
      signatureFresh: claimSignature(input),
      complete,
      history: histories.read(input, device),
    };
    receipts.keep({ namespace, nowMs, content: input.content, counted, picked, probe: kept });
    return { kind: 'counted', rate, ...counted };
  };

  const wereScored = (namespace: string, sessions: readonly string[]): readonly boolean[] =>
    sessions.map((session) => guards.get(guardKeyOf(namespace, session), now()) !== undefined);

  return {
    countScore,
    wereScored,
    restore: createRestore({ keyspace, enter, countVelocity, countRelations, now }),
  };
}

function answerRetry(rate: RateState, receiptId: string, recorded: RecentReceipt | null): ScoreCountResult {
  return recorded === null ? { kind: 'released', rate, receiptId } : { kind: 'replayed', rate, recorded };
}

interface RestoreDeps extends Pick<CountingDeps, 'keyspace' | 'now'> {
  readonly enter: ReturnType<typeof createGuardTable>['enter'];
  readonly countVelocity: ReturnType<typeof createVelocity>;
  readonly countRelations: ReturnType<typeof createRelations>;
}

function createRestore({ keyspace, enter, countVelocity, countRelations, now }: RestoreDeps): Counting['restore'] {
  return (namespace, sessions) => {
    if (sessions.length > bounds.restoreMax)
      throw new RangeError(`at most ${bounds.restoreMax} sessions are restored at once`);
    const clockMs = now();
    for (const session of sessions) {
      keyspace.reserve(velocityKeysMax + relationsKeysMax + 1, clockMs);
      const { call, settle } = enter({ namespace, session, clockMs, restoring: true });
      countVelocity(call);
      countRelations(call);
      settle();
    }
  };
}

const guardKeyOf = (namespace: string, session: string): string => shortName(namespace) + session;

type Entered = Pick<CountingCall, 'namespace' | 'session' | 'clockMs' | 'restoring'>;

function createGuardTable(keyspace: Keyspace) {
  const guards = keyspace.table<Guard>('guards');
  /** A session begins to be counted. An expired guard is replaced. */
  const enter = ({ namespace, session, clockMs, restoring }: Entered) => {
    const { nowMs } = session;
    const key = guardKeyOf(namespace, session.session);
    const known = guards.get(key, clockMs);
    const fresh = known === undefined || nowMs - known.lastAtMs >= bounds.guardMs;
    const guard = fresh ? createGuard(nowMs) : known;
    const lastAtMs = fresh ? null : guard.lastAtMs;
    guard.firstAtMs = Math.min(guard.firstAtMs, nowMs);
    guard.lastAtMs = Math.max(guard.lastAtMs, nowMs);
    guards.set(key, guard, Math.max(clockMs, guard.lastAtMs), bounds.guardMs);
    const { admit, settle } = createAdmissions(guard);
    const { firstAtMs } = guard;
    const call: CountingCall = { namespace, session, clockMs, restoring, firstAtMs, lastAtMs, admit };
    return { call, guard, settle };
  };
  return { guards, enter };
}

/** Returns whether the call's signature is unused, or used by its own session only. */
function createSignatures(keyspace: Keyspace): (input: ScoreCountInput) => boolean {
  const signatures = keyspace.table<string>('signatures');
  return ({ namespace, signature, session, nowMs }) => {
    if (signature === null) return false;
    const key = `${namespace}:${signature}`;
    const owner = signatures.get(key, nowMs);
    if (owner === undefined) signatures.set(key, session, nowMs, bounds.signatureMs);
    return owner === undefined || owner === session;
  };
}

function sessionOf(input: ScoreCountInput, device: string | null, probe: StoredProbe | null): CountedSession {
  const { nowMs, session, scope, respondent, address, prefix, source, deviceClass, addressShared, host } = input;
  return {
    nowMs,
    session,
    scope,
    respondent,
    device,
    address,
    prefix,
    source,
    deviceClass,
    addressShared,
    host,
    token: probe?.device ?? null,
    sketch: probe?.sketch ?? null,
    bands: probe?.bands ?? [],
  };
}
