/**
 * Inputs for tests of the counters: every reference is a hash of a readable name, as in production.
 */
import { createHash } from 'node:crypto';
import type { CountFacts, DeviceSketch } from '../../../src/contract/facts.js';
import type {
  Counters,
  ProbeStoreInput,
  ScoreCountInput,
  ScoreCountResult,
} from '../../../src/stores/counters/port.js';

/** A Thursday, five minutes past an hour. */
export const startMs = Date.UTC(2026, 9, 1, 12, 5);

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

export function ref(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 16);
}

/** A session like many: every session has its own fingerprint, receipt and address unless told otherwise. */
export function scoreInput(projectId: string, session: string, over: Partial<ScoreCountInput> = {}): ScoreCountInput {
  return {
    nowMs: startMs,
    namespace: projectId,
    session: ref(session),
    fingerprint: ref(`body of ${session}`),
    receiptId: `rcpt_${projectId}_${session}`,
    content: Buffer.from(`content of ${session}`),
    limits: [],
    scope: ref('study'),
    respondent: null,
    device: null,
    address: ref(`address of ${session}`),
    prefix: ref(`prefix of ${session}`),
    source: null,
    deviceClass: null,
    addressShared: false,
    host: null,
    signature: null,
    history: { respondent: null, source: null, subSource: null },
    ...over,
  };
}

export function probeInput(projectId: string, session: string, over: Partial<ProbeStoreInput> = {}): ProbeStoreInput {
  return {
    nowMs: startMs,
    projectId,
    session: ref(session),
    nonce: ref(`page of ${session}`),
    phase: 'load',
    seq: 0,
    content: Buffer.from(`load of ${session}`),
    device: ref(`device of ${session}`),
    sketch: sketchOf('a', 'b', null),
    bands: [],
    indicators: [],
    ...over,
  };
}

export function sketchOf(...terms: (string | null)[]): DeviceSketch {
  return {
    terms: terms.map((term) => (term === null ? null : ref(term))),
    osFamily: 'windows',
    browser: 'chrome',
    browserMajor: 141,
  };
}

/** `nextProject` gives a project that no other test uses. */
export interface ContractSubject {
  readonly counters: Counters;
  readonly nextProject: () => string;
  /** Sets the clock of the store, which stands at `startMs` when a test begins. */
  readonly setClock: (nowMs: number) => void;
}

export async function countsOf(counters: Counters, input: ScoreCountInput): Promise<CountFacts> {
  return expectCounted(await counters.countScore(input)).counts;
}

export function expectCounted(result: ScoreCountResult): Extract<ScoreCountResult, { kind: 'counted' }> {
  if (result.kind !== 'counted') throw new Error(`expected a count, got ${result.kind}`);
  return result;
}
