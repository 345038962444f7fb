/**
 * Gathers the facts of one score: what the request says, what the configuration says, and what the counters store counted.
 * Identifiers and addresses leave here as references only.
 */
import { hash } from 'node:crypto';
import { isOwnNetwork, isSharedNetwork, type AgentFacts, type ScoreFacts } from '../contract/facts.js';
import type { DegradedSignal, ScoreInput } from '../contract/score.js';
import { resolveCalibration, type LiteConfig } from '../contract/calibration.js';
import type { MakeRef } from '../crypto/master-key.js';
import type { RateLimit, ScoreCountInput } from '../stores/counters/port.js';
import type { SessionTrace } from '../record/session-trace.js';
import type { ReceiptOwner, ScoreBase } from '../record/types.js';
import { holderOf, namespaceOf } from '../stores/counters/namespace.js';
import type { Address } from '../net/address.js';
import { deviceClassOf } from './device-class.js';
import type { GeographyAvailability, Place } from './network/geography.js';
import { historySubjectsOf } from './subjects.js';

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
  /** Hash of the rules that will judge. */
  readonly modelVersion: string;
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
    modelVersion: input.modelVersion,
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
    // Last: what is spread first and added to is made eighty times slower.
    ...base.trace,
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
