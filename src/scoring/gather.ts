/**
 * Gathers the facts of one score: what the request says, what the configuration says, and what the counters store counted.
 * Identifiers and addresses leave here as references only.
 */
import { hash } from 'node:crypto';
import { unpack } from 'msgpackr';
import {
  isOwnNetwork,
  isSharedNetwork,
  type AgentFacts,
  type HistoryFacts,
  type HistoryRecord,
  type ProbeFacts,
  type ScoreFacts,
} from '../contract/facts.js';
import type { DegradedSignal, ScoreInput } from '../contract/score.js';
import { resolveCalibration, type LiteConfig } from '../contract/calibration.js';
import type { RecordedVerdict } from '../contract/pool.js';
import type { MakeRef } from '../crypto/master-key.js';
import type { CountRecord, RateLimit, ScoreCountInput, StoredHistory, StoredPage } from '../stores/counters/port.js';
import { holderOf, namespaceOf } from '../stores/counters/namespace.js';
import type { Address } from '../net/address.js';
import { deviceClassOf } from './device-class.js';
import type { GeographyAvailability, Place } from './geography.js';
import { readHistory } from './outcomes/history-days.js';
import { joinMessages } from './page-messages.js';
import type { Receipt, ReceiptOwner } from './receipts.js';
import type { SessionTrace } from './session-trace.js';
import { historySubjectsOf, type HistorySubjects } from './subjects.js';

/** What is known before the counters are asked; packed, it lies beside them until the database has the receipt. */
export interface ScoreBase {
  readonly owner: ReceiptOwner;
  /** As the caller named it; null where it named none. */
  readonly sourceId: string | null;
  readonly studyId?: string | null;
  /** Hash of the rules that the verdict was given by; absent in what older instances recorded. */
  readonly modelVersion?: string;
  readonly trace: SessionTrace;
  readonly subjects: HistorySubjects;
  readonly facts: Omit<ScoreFacts, 'counts' | 'probe' | 'probeRead' | 'deviceKnown' | 'token' | 'history'>;
}

export interface GatherInput {
  readonly request: ScoreInput;
  readonly address: Address;
  readonly place: Place;
  readonly geography: GeographyAvailability;
  readonly agent: AgentFacts | null;
  readonly nowMs: number;
  readonly notes?: Pick<ScoreFacts, 'integration'>;
  readonly owner: ReceiptOwner;
  readonly liteConfig: LiteConfig | undefined;
  readonly assuranceAvailable: ScoreFacts['assuranceAvailable'];
  readonly makeRef: MakeRef;
}

export function gatherBase(input: GatherInput): ScoreBase {
  const { request, address, place, owner, makeRef } = input;
  const holder = holderOf(owner);
  // An address that cannot be a respondent’s own is a proxy’s, and no place where people meet: each session is then alone with it.
  const isPlace = address.range === 'public';
  const nowhere = `nowhere\n${request.sessionId}`;
  const subjects = historySubjectsOf(request, holder, makeRef);
  const ref = (kind: string, value: string | undefined) => (value === undefined ? null : makeRef(holder, kind, value));
  const respondentKnown = subjects.respondent !== null;
  const trace: SessionTrace = {
    nowMs: input.nowMs,
    session: makeRef(holder, 'session', request.sessionId),
    scope: makeRef(holder, 'scope', scopeOf(request)),
    respondent: respondentKnown ? ref('respondent', request.respondentId) : null,
    device: ref('device', request.deviceHash),
    address: makeRef(holder, 'address', isPlace ? address.place : nowhere),
    // Who may not send addresses on names the network by a hash; kinds apart, so that nobody’s hash can be another’s prefix.
    prefix: ref('prefixHash', request.ipPrefixHash) ?? makeRef(holder, 'prefix', isPlace ? address.prefix : nowhere),
    source: ref('source', request.sourceId),
    deviceClass: deviceClassOf(request.userAgent ?? null),
    addressShared: isSharedNetwork(place.network),
    host: isPlace && address.family === 6 ? makeRef(holder, 'host', address.text) : null,
  };
  return {
    owner,
    sourceId: request.sourceId ?? null,
    studyId: request.studyId ?? null,
    trace,
    subjects,
    facts: {
      version: 1,
      receiptId: owner.receiptId,
      scoredAtMs: input.nowMs,
      sessionId: request.sessionId,
      measured: owner.projectId !== null,
      calibration: resolveCalibration(input.liteConfig, request.sourceId),
      assuranceAvailable: input.assuranceAvailable,
      userAgent: request.userAgent ?? null,
      declaredCountry: request.declaredCountry ?? null,
      respondentKnown,
      respondentStats: request.respondentStats ?? request.supplierStats ?? null,
      prefix: trace.prefix,
      ownAddress: isPlace && isOwnNetwork(place.network) ? trace.address : null,
      address: {
        family: address.family,
        range: address.range,
        country: place.country,
        asn: place.asn,
        network: place.network,
      },
      agent: input.agent,
      degraded: degradedOf(request, input.geography),
      ...input.notes,
    },
  };
}

function degradedOf(request: ScoreInput, geography: GeographyAvailability): readonly DegradedSignal[] {
  return [
    ...(request.respondentId === request.sessionId ? (['respondent_id_equals_session_id'] as const) : []),
    ...(request.supplierStats !== undefined ? (['supplier_stats_deprecated_alias'] as const) : []),
    ...(geography.country ? [] : (['geo_unavailable'] as const)),
    ...(geography.network ? [] : (['network_unavailable'] as const)),
  ];
}

/** What the counters store is to count for this score. */
export function countInputOf(input: {
  readonly base: ScoreBase;
  readonly content: Uint8Array;
  readonly request: ScoreInput;
  readonly signature: string | null;
  readonly limits: readonly RateLimit[];
  /** The caller’s own key for this call; null without one. */
  readonly idempotencyKey: string | null;
  readonly makeRef: MakeRef;
}): ScoreCountInput {
  const { base, request, idempotencyKey } = input;
  return {
    ...base.trace,
    namespace: namespaceOf(base.owner),
    fingerprint: hash('sha256', base.owner.lineage + JSON.stringify(request), 'base64url').slice(0, 22),
    // Keys of one caller’s are nobody else’s, not even within the project.
    idempotency:
      idempotencyKey === null
        ? null
        : input.makeRef(holderOf(base.owner), 'idempotency', `${base.owner.lineage}\n${idempotencyKey}`),
    receiptId: base.owner.receiptId,
    content: input.content,
    limits: input.limits,
    signature: input.signature === null ? null : input.makeRef(holderOf(base.owner), 'signature', input.signature),
    history: base.subjects,
  };
}

/** Duplicate and velocity follow the study; without one the source; without either the project. */
function scopeOf(request: ScoreInput): string {
  if (request.studyId !== undefined) return `study\n${request.studyId}`;
  return request.sourceId === undefined ? 'project' : `source\n${request.sourceId}`;
}

/** The same score under another receipt. */
export function underReceipt(base: ScoreBase, receiptId: string): ScoreBase {
  return { ...base, owner: { ...base.owner, receiptId }, facts: { ...base.facts, receiptId } };
}

/** What the counters store answered, or recorded for a receipt. */
export type Counted = Omit<CountRecord, 'receiptId'>;

/** The receipt of a score whose facts were judged. */
export function receiptOf(base: ScoreBase, facts: ScoreFacts, packed: Uint8Array, verdict: RecordedVerdict): Receipt {
  return {
    ...base.owner,
    sourceId: base.sourceId,
    sessionId: facts.sessionId,
    studyId: base.studyId ?? null,
    supersedes: facts.supersedes ?? null,
    trace: base.trace,
    subjects: base.subjects,
    verdict,
    facts: packed,
  };
}

/** The whole facts, from what was known before and what the counters store answered; null where it did not answer. */
export function assembleFacts(base: ScoreBase, counted: Counted | null): ScoreFacts {
  const { facts } = base;
  if (counted === null) {
    return {
      ...facts,
      counts: null,
      probe: null,
      // Unreadable is not missing; an organization key has no probes to read.
      probeRead: !facts.measured,
      history: null,
      deviceKnown: false,
      degraded: [...facts.degraded, 'counters_unavailable', 'history_unavailable'],
    };
  }
  const used = facts.agent?.outcome === 'verified' && !counted.signatureFresh;
  const known = facts.measured && counted.warm;
  return {
    ...facts,
    counts: known ? counted.counts : null,
    probe: facts.measured ? readProbe(counted.probe) : null,
    history: known ? historyOf(base.subjects, counted.history, facts.scoredAtMs) : null,
    deviceKnown: counted.device !== null,
    supersedes: counted.supersedes ?? null,
    deviceHashed: base.trace.device !== null,
    token: counted.probe?.device ?? null,
    agent: used
      ? {
          outcome: 'invalid',
          agent: facts.agent?.agent ?? null,
          reason: 'The signature was used before; a signature is good for one session.',
        }
      : facts.agent,
    degraded:
      facts.measured && !counted.warm
        ? [...facts.degraded, 'counters_unavailable', 'history_unavailable']
        : facts.degraded,
  };
}

/** Subjects that were not named are null; those about whom no outcome was ever reported have a record of nothing. */
function historyOf(subjects: HistorySubjects, stored: StoredHistory, nowMs: number): HistoryFacts {
  const record = (name: keyof HistorySubjects) => {
    if (subjects[name] === null) return null;
    const value = stored[name];
    return value === null ? { n: 0, fraud: 0, clawbacks: 0 } : readHistory(value, nowMs);
  };
  const plain = (value: ReturnType<typeof record>): HistoryRecord | null =>
    value === null ? null : { n: value.n, fraud: value.fraud };
  const respondent = record('respondent');
  return {
    respondent:
      respondent === null
        ? null
        : { n: respondent.n, fraud: respondent.fraud, confirmedClawbacks: respondent.clawbacks },
    source: plain(record('source')),
    subSource: plain(record('subSource')),
  };
}

/** All pages count; the first one with a load message is the one that the device and its sketch are taken from. */
function readProbe(stored: CountRecord['probe']): ScoreFacts['probe'] {
  const pages = (stored?.pages ?? [])
    .map((page) => ({ hasLoad: page.load !== null, facts: mergePage(page) }))
    .sort((a, b) => Number(b.hasLoad) - Number(a.hasLoad))
    .flatMap(({ facts }) => (facts === null ? [] : [facts]));
  const [first, ...others] = pages;
  if (first === undefined) return null;
  return others.length === 0 ? first : { ...first, others };
}

/** The load message tells of the device, the newest update of behaviour since. */
function mergePage(page: StoredPage): ProbeFacts | null {
  const load = page.load === null ? null : (unpack(page.load) as ProbeFacts);
  const update = page.update === null ? null : (unpack(page.update) as ProbeFacts);
  if (load === null) return update;
  return update === null ? load : { body: joinMessages(load.body, update.body), transport: load.transport };
}
