/**
 * Gathers the facts of one score: what the request says, what the configuration says, and what the counters store counted.
 * Identifiers and addresses leave here as references only.
 */
import { hash } from 'node:crypto';
import type { Directories } from '../administration/directories.js';
import { isSharedNetwork, type AgentFacts, type Ref, type ScoreFacts } from '../contract/facts.js';
import type { EndedStepUp } from '../contract/step-up.js';
import type { DegradedSignal, ScoreInput, WebBotAuth } from '../contract/score.js';
import { readUserAgent } from '../contract/user-agent.js';
import { resolveCalibration, type LiteConfig } from '../contract/calibration.js';
import { makeId } from '../crypto/ids.js';
import type { MakeRef } from '../crypto/master-key.js';
import type { RateLimit, ScoreCountInput } from '../stores/counters/port.js';
import type { HistorySubjects, ReceiptOwner, ScoreBase, SessionTrace, Writable } from '../record/types.js';
import { holderOf, namespaceOf } from '../stores/counters/namespace.js';
import type { DataOwner } from '../kernel/caller.js';
import type { Address } from '../net/address.js';
import { late, type Deadline } from './deadline.js';
import type { Geography, GeographyAvailability, GeoLocation } from './network/geography.js';
import { scoredVisitOf, stepUpsOf } from './step-ups.js';
import type { AgentVerdict } from './web-bot-auth/web-bot-auth.js';

/** Scoring needs this of projects and organizations; their cached records provide it. */
export interface ScoringSubjects {
  readonly liteEnabled: (organizationId: string) => Promise<boolean>;
  readonly findProject: (projectId: string) => Promise<ScoringProject | null>;
}

export interface ScoringProject {
  readonly liteConfig: LiteConfig | undefined;
  readonly assuranceAvailable: ScoreFacts['assuranceAvailable'];
  /** Origin patterns that agents may sign for; asked for where one did. */
  readonly origins: () => Promise<readonly string[]>;
}

/** Reads them from the directories of this process. */
export function scoringSubjectsOf(directories: Pick<Directories, 'projects' | 'organizations'>): ScoringSubjects {
  const { organizations, projects } = directories;
  return {
    liteEnabled: async (organizationId) => (await organizations.get(organizationId))?.liteEnabled ?? false,
    async findProject(projectId) {
      const project = await projects.get(projectId);
      if (project === null) return null;
      const { liteConfig, widgetMode = 'standard', allowedDomains = [] } = project.fields.config ?? {};
      return {
        liteConfig,
        assuranceAvailable: assuranceByMode[widgetMode],
        // The project’s list, or if it is empty, the organization’s.
        origins: async () =>
          allowedDomains.length > 0
            ? allowedDomains
            : ((await organizations.get(project.organizationId))?.allowedDomains ?? []),
      };
    },
  };
}

const assuranceByMode = {
  standard: 'can_step_up_to_biometric',
  captcha: 'can_step_up_to_captcha',
  invisible: 'none',
} as const;

export interface GatherDeps {
  readonly geography: Geography;
  readonly verifyAgent: (material: WebBotAuth, origins: readonly string[]) => Promise<AgentVerdict>;
  readonly subjects: ScoringSubjects;
  /** The step-ups of a session that have ended; null if they cannot be read. */
  readonly readStepUps: (owner: DataOwner, sessionId: string) => Promise<readonly EndedStepUp[] | null>;
  readonly makeRef: MakeRef;
  /** Hash of the rules that will judge. */
  readonly modelVersion: string;
  readonly now: () => number;
}

interface GatheredCall {
  readonly request: ScoreInput;
  readonly address: Address;
  readonly notes: Pick<ScoreFacts, 'integration'>;
  readonly deadline: Deadline;
}

/** The facts, and the signature of a verified agent, which is good for one score. */
export async function gatherScore(
  deps: GatherDeps,
  owner: DataOwner,
  { request, address, notes, deadline }: GatheredCall,
): Promise<{ readonly base: ScoreBase; readonly signature: string | null }> {
  const project = owner.projectId === null ? null : await deps.subjects.findProject(owner.projectId);
  const agent =
    request.webBotAuth === undefined
      ? null
      : await deps.verifyAgent(request.webBotAuth, (await project?.origins()) ?? []);
  const { sessionId, sourceId } = request;
  // Read for projects that opted in alone: it is the only look into the database that a score takes.
  const asks = project?.liteConfig !== undefined && resolveCalibration(project.liteConfig, sourceId).stepUpEnabled;
  const read = asks ? await deadline.within(deps.readStepUps(owner, sessionId)) : [];
  const base = gatherBase({
    request,
    address,
    location: deps.geography.locate(address),
    geography: deps.geography.available,
    agent: agent === null ? null : { outcome: agent.outcome, agent: agent.agent, reason: agent.reason },
    nowMs: deps.now(),
    notes,
    // Unread, the session is asked again; nobody is let through.
    ended: read === late ? null : read,
    owner: {
      receiptId: makeId('receipt'),
      organizationId: owner.organizationId,
      projectId: owner.projectId,
      lineage: owner.lineage,
      isTest: owner.isTest,
      isDemo: owner.isDemo,
    },
    liteConfig: project?.liteConfig,
    assuranceAvailable: project?.assuranceAvailable ?? 'none',
    makeRef: deps.makeRef,
    modelVersion: deps.modelVersion,
  });
  return { base, signature: agent?.outcome === 'verified' ? agent.signature : null };
}

export interface GatherInput {
  readonly request: ScoreInput;
  readonly address: Address;
  readonly location: GeoLocation;
  readonly geography: GeographyAvailability;
  readonly agent: AgentFacts | null;
  readonly nowMs: number;
  readonly notes?: Pick<ScoreFacts, 'integration'>;
  /** Step-ups of the session, whoever they were of; null if they were not read. */
  readonly ended?: readonly EndedStepUp[] | null;
  readonly owner: ReceiptOwner;
  readonly liteConfig: LiteConfig | undefined;
  readonly assuranceAvailable: ScoreFacts['assuranceAvailable'];
  readonly makeRef: MakeRef;
  /** Hash of the rules that will judge. */
  readonly modelVersion: string;
}

export function gatherBase(input: GatherInput): ScoreBase {
  const { request, address, location, owner, makeRef } = input;
  const holder = holderOf(owner);
  // An address that cannot be a respondent’s own is a proxy’s, and no place where people meet: each session is then alone with it.
  const isPlace = address.range === 'public';
  const noAddress = `nowhere\n${request.sessionId}`;
  const ref = (kind: string, value: string | undefined) => (value === undefined ? null : makeRef(holder, kind, value));
  const prefix =
    // A caller who may not send addresses names the network by a hash. Kinds are separate, so that no hash can equal the prefix of another.
    ref('prefixHash', request.ipPrefixHash) ?? makeRef(holder, 'prefix', isPlace ? address.prefix : noAddress);
  const isShared = isSharedNetwork(location.network);
  const subjects = historySubjectsOf(request, holder, makeRef);
  if ((isPlace || request.ipPrefixHash !== undefined) && !isShared) subjects.range = prefix;
  if (isPlace && location.asn !== null) subjects.network = makeRef(holder, 'history:network', String(location.asn));
  const respondentKnown = subjects.respondent !== null;
  const trace: SessionTrace = {
    nowMs: input.nowMs,
    session: makeRef(holder, 'session', request.sessionId),
    scope: makeRef(holder, 'scope', scopeOf(request)),
    respondent: respondentKnown ? ref('respondent', request.respondentId) : null,
    device: ref('device', request.deviceHash),
    address: makeRef(holder, 'address', isPlace ? address.place : noAddress),
    prefix,
    source: ref('source', request.sourceId),
    deviceClass: deviceClassOf(request.userAgent ?? null),
    addressShared: isShared,
    host: isPlace && address.family === 6 ? makeRef(holder, 'host', address.text) : null,
  };
  const refOf = (respondentId: string): Ref => respondentSubject(makeRef, holder, respondentId);
  const { ended = [] } = input;
  const stepUps =
    ended === null || ended.length === 0 ? [] : stepUpsOf(ended, scoredVisitOf({ trace, subjects }), refOf);
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
      ownAddress: isPlace && !trace.addressShared ? trace.address : null,
      address: {
        family: address.family,
        range: address.range,
        country: location.country,
        asn: location.asn,
        network: location.network,
        ...(location.relay !== undefined && { relay: location.relay }),
      },
      agent: input.agent,
      degraded: degradedOf(request, input.geography, ended !== null),
      ...input.notes,
      ...(stepUps.length > 0 && { stepUps }),
    },
  };
}

/**
 * The coarse class of a device, such as "android/chrome"; null if the user agent is absent or names no known system. Two sessions behind one address
 * in the same minutes are linked only within one class. Coarse on purpose: it must not identify people.
 */
function deviceClassOf(userAgent: string | null): string | null {
  const agent = readUserAgent(userAgent);
  return agent?.os == null ? null : `${agent.os}/${agent.browser ?? 'other'}`;
}

function degradedOf(
  request: ScoreInput,
  geography: GeographyAvailability,
  stepUpsRead: boolean,
): readonly DegradedSignal[] {
  return [
    ...(request.respondentId === request.sessionId ? (['respondent_id_equals_session_id'] as const) : []),
    ...(request.supplierStats !== undefined ? (['supplier_stats_deprecated_alias'] as const) : []),
    ...(geography.country ? [] : (['geo_unavailable'] as const)),
    ...(geography.network ? [] : (['network_unavailable'] as const)),
    ...(stepUpsRead ? [] : (['step_ups_unavailable'] as const)),
  ];
}

/** The input of the counters store for this score. */
export function countInputOf(input: {
  readonly base: ScoreBase;
  readonly content: Uint8Array;
  readonly request: ScoreInput;
  readonly signature: string | null;
  readonly limits: readonly RateLimit[];
  /** The caller’s own key for this call; null without one. */
  readonly idempotencyKey: string | null;
  /** Whether the call is never an identical retry. */
  readonly isUnique?: boolean;
  readonly makeRef: MakeRef;
}): ScoreCountInput {
  const { base, request, idempotencyKey } = input;
  const call = base.owner.lineage + JSON.stringify(request) + stepUpTextOf(base);
  return {
    namespace: namespaceOf(base.owner),
    fingerprint: hash('sha256', input.isUnique ? call + base.owner.receiptId : call, 'base64url').slice(0, 22),
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
    // Spread last: spreading first is 80 times slower in V8.
    ...base.trace,
  };
}

/** A score after the step-up is another one than that which asked for it. */
const stepUpTextOf = ({ facts: { stepUps } }: ScoreBase): string =>
  stepUps === undefined ? '' : `step-ups ${JSON.stringify(stepUps)}`;

/** Duplicate and velocity follow the study; without one the source; without either the project. */
function scopeOf(request: ScoreInput): string {
  if (request.studyId !== undefined) return `study\n${request.studyId}`;
  return request.sourceId === undefined ? 'project' : `source\n${request.sourceId}`;
}

/** The same score under another receipt. */
export function underReceipt(base: ScoreBase, receiptId: string): ScoreBase {
  return { ...base, owner: { ...base.owner, receiptId }, facts: { ...base.facts, receiptId } };
}

/**
 * The subjects of history, project-wide whatever the study. Scores and outcomes must meet in them, so that their references are made here only: for
 * the project, or for an organization key its organization.
 */
export const respondentSubject = (makeRef: MakeRef, holder: string, respondentId: string): Ref =>
  makeRef(holder, 'history:respondent', respondentId);

/** Subjects that a request names. A respondentId equal to the sessionId names nobody. */
function historySubjectsOf(request: ScoreInput, holder: string, makeRef: MakeRef): Writable<HistorySubjects> {
  const { respondentId, sessionId, sourceId, subSourceId, studyId } = request;
  const subjects: Writable<HistorySubjects> = {
    respondent:
      respondentId === undefined || respondentId === sessionId
        ? null
        : respondentSubject(makeRef, holder, respondentId),
    source: sourceId === undefined ? null : makeRef(holder, 'history:source', sourceId),
    subSource:
      subSourceId === undefined ? null : makeRef(holder, 'history:subSource', `${sourceId ?? ''}\n${subSourceId}`),
  };
  if (studyId !== undefined) subjects.study = makeRef(holder, 'history:study', studyId);
  return subjects;
}
