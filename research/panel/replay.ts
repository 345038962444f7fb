/**
 * Sends simulated traffic through the code that serves: the counters in memory, gathering, the record’s own assembly of facts, and the
 * history with outcomes as they arrive. In simulated time and without HTTP, so that 10,000 sessions take seconds.
 */
import { createHash } from 'node:crypto';
import type { ScoreFacts } from '../../src/contract/facts.js';
import type { OutcomeEvent } from '../../src/contract/outcome.js';
import { createMakeRef } from '../../src/crypto/master-key.js';
import { assembleFacts } from '../../src/record/assemble-facts.js';
import { packMessage } from '../../src/record/message.js';
import { countInputOf, gatherBase } from '../../src/scoring/gather.js';
import { adjudicate, type StoredOutcome } from '../../src/scoring/outcomes/adjudication-rules.js';
import { decay, shiftDays, type HistoryDays } from '../../src/scoring/outcomes/history-shifts.js';
import { readScoreRequest } from '../../src/scoring/score-request.js';
import { openMemoryCounters } from '../../src/stores/counters/memory/open.js';
import { namespaceOf, type Namespace } from '../../src/stores/counters/namespace.js';
import type { Counters } from '../../src/stores/counters/port.js';
import { bandsOf, sketchDevice } from '../../workers/duplicates/sketch.js';
import { findRiskIndicators } from '../../workers/scoring/score.js';
import { modelVersion } from '../../workers/scoring/rule-set.js';
import type { PanelSession } from './sessions.js';

export interface ReplayedSession {
  readonly session: PanelSession;
  readonly facts: ScoreFacts;
}

export interface ReplayOptions {
  readonly withProbe: boolean;
}

const makeRef = createMakeRef(createHash('sha256').update('panel').digest());
const owner = {
  organizationId: 'org_panel',
  projectId: 'proj_panel',
  lineage: 'key_panel',
  isTest: false,
  isDemo: false,
};
const keysMax = 20_000_000;

export async function replayTraffic(
  sessions: readonly PanelSession[],
  { withProbe }: ReplayOptions,
): Promise<ReplayedSession[]> {
  let nowMs = sessions[0]?.atMs ?? 0;
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax, now: () => nowMs });
  const namespace = namespaceOf(owner);
  const history = createHistory(counters, namespace, sessions);
  const replayed: ReplayedSession[] = [];
  for (const [n, session] of sessions.entries()) {
    nowMs = session.atMs;
    await history.reportUntil(nowMs);
    // Days without a session would read as counters that lost them.
    await counters.markComplete(namespace);
    if (withProbe) for (const probe of session.probes) await storeProbe(counters, probe, session);
    const { facts, subjects } = await countSession(counters, session, n);
    history.noteSubjects(session.request.sessionId, subjects);
    replayed.push({ session, facts });
  }
  await counters.close();
  return replayed;
}

const ref = (kind: string, value: string): string => makeRef(owner.projectId, kind, value);

async function storeProbe(
  counters: Counters,
  message: PanelSession['probes'][number],
  { atMs, request }: PanelSession,
): Promise<void> {
  const { body, transport } = message;
  const sketch = sketchDevice(body, transport.userAgent);
  const token = body.ids?.token ?? null;
  await counters.storeProbe({
    nowMs: atMs,
    projectId: owner.projectId,
    session: ref('session', request.sessionId),
    nonce: ref('nonce', body.nonce),
    phase: body.phase,
    seq: body.seq,
    content: packMessage(message),
    device: token === null ? null : ref('device', token),
    sketch,
    bands: bandsOf(sketch),
    indicators: findRiskIndicators(message),
  });
}

async function countSession(
  counters: Counters,
  session: PanelSession,
  n: number,
): Promise<{ readonly facts: ScoreFacts; readonly subjects: readonly string[] }> {
  const { request, address } = readScoreRequest(session.request, false);
  const base = gatherBase({
    request,
    address,
    location: session.location,
    geography: { country: true, network: true },
    agent: null,
    nowMs: session.atMs,
    owner: { ...owner, receiptId: `rcpt_${n}` },
    liteConfig: undefined,
    assuranceAvailable: 'can_step_up_to_biometric',
    makeRef,
    modelVersion,
  });
  const counted = await counters.countScore(
    countInputOf({
      base,
      content: new Uint8Array(),
      request,
      signature: null,
      limits: [],
      idempotencyKey: null,
      makeRef,
    }),
  );
  if (counted.kind !== 'counted') throw new Error(`session ${request.sessionId} is ${counted.kind} and not counted`);
  const subjects = Object.values({ ...base.subjects, device: counted.device }).filter((subject) => subject != null);
  return { facts: assembleFacts(base, counted), subjects };
}

/** Outcomes take their time: each is reported when it happens, and moves the records of the session’s subjects then. */
function createHistory(counters: Counters, namespace: Namespace, sessions: readonly PanelSession[]) {
  const waiting = sessions
    .flatMap(({ outcomes }) => outcomes.map((event) => ({ atMs: Date.parse(event.occurredAt), event })))
    .sort((a, b) => a.atMs - b.atMs);
  const subjectsOf = new Map<string, readonly string[]>();
  const reported = new Map<string, StoredOutcome[]>();
  const days = new Map<string, HistoryDays>();
  let next = 0;

  /** The subjects whose records the event moves. */
  function report({ sessionId, type, reasonClass }: OutcomeEvent, occurredAtMs: number): readonly string[] {
    const before = reported.get(sessionId) ?? [];
    const statement = {
      type,
      occurredAtMs,
      reasonClass: reasonClass ?? null,
      retracts: null,
      statement: before.length,
    };
    const after = [...before, statement];
    reported.set(sessionId, after);
    const shifts = [
      { adjudication: adjudicate(before), sign: -1 as const },
      { adjudication: adjudicate(after), sign: 1 as const },
    ].flatMap(({ adjudication, sign }) => (adjudication === null ? [] : [{ adjudication, sign }]));
    const moved = shifts.length === 0 ? [] : (subjectsOf.get(sessionId) ?? []);
    for (const subject of moved) days.set(subject, shiftDays(days.get(subject) ?? {}, shifts));
    return moved;
  }

  return {
    noteSubjects: (sessionId: string, subjects: readonly string[]): void => void subjectsOf.set(sessionId, subjects),
    async reportUntil(nowMs: number): Promise<void> {
      const changed = new Set<string>();
      const from = next;
      for (let due = waiting[next]; due !== undefined && due.atMs <= nowMs; due = waiting[(next += 1)])
        for (const subject of report(due.event, due.atMs)) changed.add(subject);
      if (changed.size === 0) return;
      const value = (subject: string) => decay(days.get(subject) ?? {}, nowMs);
      await counters.publishHistory(
        namespace,
        [...changed].map((subject) => ({ subject, version: from + 1, value: value(subject) })),
      );
    },
  };
}
