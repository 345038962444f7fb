/**
 * Gathers the facts of one score: what the request says, what the configuration says, and what the counters store counted.
 * Identifiers and addresses leave here as references only.
 */
import { createHash } from 'node:crypto';
import { unpack } from 'msgpackr';
import type { AgentFacts, HistoryFacts, ScoreFacts } from '../contract/facts.js';
import type { ProbeBody, ProbeTransport } from '../contract/probe.js';
import type { DegradedSignal, ScoreRequest } from '../contract/score.js';
import type { LiteConfig } from '../contract/calibration.js';
import type { MakeRef } from '../crypto/master-key.js';
import type { Issue } from '../errors.js';
import type { RateLimit, RecentReceipt, ScoreCountInput } from '../stores/counters/port.js';
import { parseAddress, type Address } from './address.js';
import { resolveCalibration } from './calibration.js';
import { deviceClassOf } from './device-class.js';
import type { Place } from './geography.js';
import type { ReceiptOwner } from './receipts.js';

/** What is known before the counters are asked; packed, it lies beside them until the database has the receipt. */
export interface ScoreBase {
  readonly owner: ReceiptOwner;
  readonly facts: Omit<ScoreFacts, 'counts' | 'probe' | 'deviceKnown'>;
}

export interface GatherInput {
  readonly request: ScoreRequest;
  readonly address: Address;
  readonly place: Place;
  readonly geographyAvailable: boolean;
  readonly agent: AgentFacts | null;
  readonly nowMs: number;
  readonly owner: ReceiptOwner;
  readonly liteConfig: LiteConfig | undefined;
  readonly assuranceAvailable: ScoreFacts['assuranceAvailable'];
  readonly makeRef: MakeRef;
}

/** Faults of the request that the schema cannot express. */
export function checkRequest(request: ScoreRequest): { readonly address: Address; readonly issues: readonly Issue[] } | { readonly address: null; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const address = parseAddress(request.clientIp);
  if (address === null) issues.push({ path: '/clientIp', message: 'must be one IPv4 or IPv6 address, without port or zone.' });
  for (const name of ['respondentStats', 'supplierStats'] as const) {
    const stats = request[name];
    if (stats !== undefined && stats.completes > stats.attempts) issues.push({ path: `/${name}/completes`, message: 'must be at most attempts.' });
  }
  return { address, issues };
}

export function gatherBase(input: GatherInput): ScoreBase {
  const { request, address, place, owner } = input;
  const respondentKnown = request.respondentId !== undefined && request.respondentId !== request.sessionId;
  return {
    owner,
    facts: {
      version: 1,
      receiptId: owner.receiptId,
      scoredAtMs: input.nowMs,
      sessionId: request.sessionId,
      measured: owner.projectId !== null,
      calibration: resolveCalibration(input.liteConfig, request.sourceId),
      assuranceAvailable: input.assuranceAvailable,
      userAgent: request.userAgent ?? null,
      declaredCountry: request.declaredCountry?.toUpperCase() ?? null,
      respondentKnown,
      respondentStats: request.respondentStats ?? request.supplierStats ?? null,
      prefix: input.makeRef(owner.projectId ?? owner.organizationId, 'prefix', address.prefix),
      address: { family: address.family, range: address.range, country: place.country, asn: place.asn, network: place.network },
      history: owner.projectId === null ? null : withoutOutcomes(request, respondentKnown),
      agent: input.agent,
      degraded: degradedOf(request, input.geographyAvailable),
    },
  };
}

/** The native history of subjects about whom no outcome was ever reported. */
function withoutOutcomes(request: ScoreRequest, respondentKnown: boolean): HistoryFacts {
  const nothing = { n: 0, fraud: 0 };
  return {
    respondent: respondentKnown ? { ...nothing, confirmedClawbacks: 0 } : null,
    source: request.sourceId === undefined ? null : nothing,
    subSource: request.subSourceId === undefined ? null : nothing,
  };
}

function degradedOf(request: ScoreRequest, geographyAvailable: boolean): readonly DegradedSignal[] {
  return [
    ...(request.respondentId === request.sessionId ? (['respondent_id_equals_session_id'] as const) : []),
    ...(request.supplierStats !== undefined ? (['supplier_stats_deprecated_alias'] as const) : []),
    ...(geographyAvailable ? [] : (['geo_unavailable'] as const)),
  ];
}

const sharedNetworks: readonly (string | null)[] = ['mobile', 'anonymous', 'education'];

/** What the counters store is to count for this score. */
export function countInputOf(input: {
  readonly base: ScoreBase;
  readonly content: Uint8Array;
  readonly request: ScoreRequest;
  readonly address: Address;
  readonly signature: string | null;
  readonly limits: readonly RateLimit[];
  readonly makeRef: MakeRef;
}): ScoreCountInput {
  const { base, request, address, makeRef } = input;
  const namespace = base.owner.projectId ?? base.owner.organizationId;
  const ref = (kind: string, value: string | undefined) => (value === undefined ? null : makeRef(namespace, kind, value));
  return {
    nowMs: base.facts.scoredAtMs,
    projectId: namespace,
    session: base.owner.sessionRef,
    fingerprint: createHash('sha256').update(base.owner.lineage).update(JSON.stringify(request)).digest('base64url').slice(0, 22),
    receiptId: base.owner.receiptId,
    content: input.content,
    limits: input.limits,
    scope: makeRef(namespace, 'scope', scopeOf(request)),
    respondent: base.facts.respondentKnown ? ref('respondent', request.respondentId) : null,
    device: ref('device', request.deviceHash),
    address: makeRef(namespace, 'address', address.text),
    prefix: base.facts.prefix ?? makeRef(namespace, 'prefix', address.prefix),
    source: ref('source', request.sourceId),
    deviceClass: deviceClassOf(request.userAgent),
    addressShared: sharedNetworks.includes(base.facts.address.network),
    signature: ref('signature', input.signature ?? undefined),
    history: {
      respondent: base.facts.respondentKnown ? ref('history:respondent', request.respondentId) : null,
      source: ref('history:source', request.sourceId),
      subSource: request.subSourceId === undefined ? null : ref('history:subSource', `${request.sourceId ?? ''}\n${request.subSourceId}`),
    },
  };
}

/** Duplicate and velocity follow the study; without one the source; without either the project. */
function scopeOf(request: ScoreRequest): string {
  if (request.studyId !== undefined) return `study\n${request.studyId}`;
  return request.sourceId === undefined ? 'project' : `source\n${request.sourceId}`;
}

/** The whole facts, from what was known before and what the counters store answered; null where it did not answer. */
export function assembleFacts(base: ScoreBase, counted: Pick<RecentReceipt, 'counts' | 'probe' | 'device' | 'signatureFresh'> | null): ScoreFacts {
  const { facts } = base;
  if (counted === null) return { ...facts, counts: null, probe: null, deviceKnown: false, degraded: [...facts.degraded, 'counters_unavailable'] };
  const used = facts.agent?.outcome === 'verified' && !counted.signatureFresh;
  return {
    ...facts,
    counts: facts.measured ? counted.counts : null,
    probe: facts.measured ? mergeProbe(counted.probe) : null,
    deviceKnown: counted.device !== null,
    agent: used ? { outcome: 'invalid', agent: facts.agent?.agent ?? null, reason: 'The signature was used before; a signature is good for one session.' } : facts.agent,
  };
}

interface ProbeContent {
  readonly body: ProbeBody;
  readonly transport: ProbeTransport;
}

/** The load message tells of the device, the newest update of behaviour since. */
function mergeProbe(stored: RecentReceipt['probe']): ScoreFacts['probe'] {
  const load = stored?.load == null ? null : (unpack(stored.load) as ProbeContent);
  const update = stored?.update == null ? null : (unpack(stored.update) as ProbeContent);
  if (load === null) return update;
  return update === null ? load : { body: { ...load.body, ...definedGroups(update.body) }, transport: load.transport };
}

function definedGroups(update: ProbeBody): Partial<ProbeBody> {
  return Object.fromEntries(Object.entries(update).filter(([, group]) => group !== null && group !== undefined));
}
