/**
 * Creates sessions: of a page, of a backend, and retries of failed ones. Identifier, secret, nonce and challenges are the server’s own;
 * nothing that a caller sends stands for any of them. A retry is made under a lock of its chain, so that the budget holds however many ask
 * at once. With the database away nothing is created: 503.
 */
import { notFound, invalid } from '../../kernel/faults.js';
import type { SessionMode } from '../../contract/common.js';
import { configDefaults, projectDefaults, widgetModes, type WidgetMode } from '../../contract/project.js';
import { type Metadata, type SessionCreation, type SessionReply, chainNames } from '../../contract/session.js';
import type { FindStepUp, StepUp } from '../../contract/step-up.js';
import type { Issue } from '../../errors.js';
import { makeId } from '../../crypto/ids.js';
import { findMetadataIssue } from '../../kernel/body.js';
import type { HostedLink } from '../../administration/hosted-links.js';
import type { StoredOrganization } from '../../administration/organization-store.js';
import type { StoredProject } from '../../administration/project-store.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { findRespondentIssue, fixedRespondentOf } from '../fixed-respondents/fixed-respondents.js';
import { requireQuota } from '../quota.js';
import { hashClientSecret, secretBytes } from './client-secret.js';
import { countLinkSession } from './linked-sessions.js';
import { decideRetry, retryFault, stepUpFault, sessionLifetimeSeconds } from './session-state.js';
import {
  findSession,
  insertSession,
  lockChain,
  lockStepUp,
  type NewSession,
  type StoredSession,
} from './session-store.js';
import { challengeConfigOf, countChallenges, livenessModelsOf, type Randomness } from './challenges.js';

export interface SessionServiceDeps {
  readonly database: Database;
  readonly random: Randomness;
  readonly findStepUp: FindStepUp;
  readonly metrics: Pick<Metrics, 'sessionsCreated'>;
  readonly now: () => number;
}

/** For whom a session is created. */
export interface SessionOwner {
  readonly project: StoredProject;
  readonly organization: Pick<StoredOrganization, 'monthlyQuota'>;
  readonly mode: SessionMode;
  /** Whether callers of the session may ask for diagnostics. */
  readonly diagnostics: boolean;
  readonly asker: 'page' | 'backend';
  /** Token of the proof of work that pays for the session. */
  readonly proof?: string | null;
  /** The link that the session comes through. */
  readonly link: Pick<HostedLink, 'respondentTrusted' | 'isOwnReturn' | 'device' | 'minimumAssurance'> | null;
}

export type SessionRequest = Omit<SessionCreation, 'siteKey'>;

export type SessionService = ReturnType<typeof createSessionService>;

const nonceBytes = 24;

export function createSessionService(deps: SessionServiceDeps) {
  const { database, now } = deps;

  async function insert(owner: SessionOwner, request: SessionRequest): Promise<SessionReply> {
    const { project, mode, asker } = owner;
    // A page that knows a receipt must not decide what its step-up comes to: from there the name is an unknown one.
    const stepUpFor = asker === 'backend' ? request.stepUpFor : undefined;
    if (stepUpFor !== undefined) requireOwnStepUp(request);
    const respondentId = request.respondentId ?? null;
    const compared = fixedRespondentOf({ mode, respondentId }) === null ? respondentId : undefined;
    const stepUp = stepUpFor === undefined ? null : await deps.findStepUp({ ...project, mode }, stepUpFor, compared);
    const { session, clientSecret } = draftSession(deps, owner, request, stepUp);
    await inOrganization(database, session.organizationId, async (tx) => {
      if (stepUp !== null) await requireStepUpOpen(tx, owner, stepUp, now());
      await insertCounted(tx, session);
    });
    return replyOf(owner.project, session, clientSecret);
  }

  async function insertRetry(
    owner: SessionOwner,
    parent: StoredSession,
    request: SessionRequest,
  ): Promise<SessionReply> {
    const maxRetries = owner.project.fields.config?.maxRetries ?? configDefaults.maxRetries;
    return inOrganization(database, parent.organizationId, async (tx) => {
      const chain = await lockChain(tx, parent.rootSessionId);
      const decision = decideRetry(await reread(tx, parent), { chain, maxRetries, nowMs: now() });
      if (decision.kind === 'refused') throw retryFault(decision, owner.asker);
      if (parent.stepUp !== null) await requireStepUpOpen(tx, owner, parent.stepUp, now());
      const { session: draft, clientSecret } = draftSession(deps, owner, request, parent.stepUp);
      const { rootSessionId, withinStudy, deviceRule } = parent;
      const { retryCount } = decision;
      const metadata = chainMetadata(draft.metadata, rootSessionId, retryCount);
      // A retry is as trusted as the first try, whoever requests it.
      const isSame = draft.respondentId === parent.respondentId;
      const respondentTrusted = isSame ? parent.respondentTrusted : draft.respondentTrusted;
      const session: NewSession = {
        ...draft,
        rootSessionId,
        retryCount,
        metadata,
        respondentTrusted,
        withinStudy,
        deviceRule,
      };
      await insertCounted(tx, session);
      return replyOf(owner.project, session, clientSecret);
    });
  }

  const start = (owner: SessionOwner, run: () => Promise<SessionReply>): Promise<SessionReply> =>
    startCounted(deps, owner, run);
  const check = (owner: Pick<SessionOwner, 'project' | 'mode' | 'asker'>, request: SessionRequest): void =>
    checkRequest(owner, request, now());

  return {
    check,
    async create(owner: SessionOwner, request: SessionRequest): Promise<SessionReply> {
      check(owner, request);
      const { previousSessionId } = request;
      if (previousSessionId === undefined) return start(owner, () => insert(owner, request));
      const parent = await findSession(database, previousSessionId);
      const isSame = parent?.projectId === owner.project.projectId && parent.mode === owner.mode;
      if (parent === null || !isSame) throw notFound('previous session');
      requireStepUpOf(owner, parent, request);
      return start(owner, () => insertRetry(owner, parent, retryRequest(owner, parent, request)));
    },
    /** Tries a failed session again, with everything that it was created with. */
    retry: (owner: SessionOwner, parent: StoredSession) =>
      start(owner, () => insertRetry(owner, parent, requestOf(parent))),
  };
}

async function startCounted(
  { database, metrics, now }: SessionServiceDeps,
  owner: SessionOwner,
  run: () => Promise<SessionReply>,
): Promise<SessionReply> {
  const { organizationId } = owner.project;
  const { mode, organization } = owner;
  await requireQuota(database, { organizationId, mode, monthlyQuota: organization.monthlyQuota, nowMs: now() });
  const reply = await run();
  metrics.sessionsCreated.inc({ mode });
  return reply;
}

/** Throws VALIDATION_FAILED for a request that no state of the service makes valid. A page’s is checked before it costs anything. */
function checkRequest(
  owner: Pick<SessionOwner, 'project' | 'mode' | 'asker'>,
  request: SessionRequest,
  nowMs: number,
): void {
  const { respondentId = null, metadata = {}, consent } = request;
  const issue =
    findMetadataIssue(metadata) ??
    findRespondentIssue({ mode: owner.mode, respondentId }) ??
    findConsentIssue(consent, nowMs);
  if (issue !== null) throw invalid([issue]);
  requireWidgetMode(owner, request);
}

/**
 * A score is stepped up by one pass, within as many sessions as a chain may have, whether they are new or retries: several failed chains would
 * otherwise multiply the tries.
 */
async function requireStepUpOpen(
  tx: Queryable,
  { project: { projectId, fields }, asker }: Pick<SessionOwner, 'project' | 'asker'>,
  stepUp: StepUp,
  nowMs: number,
): Promise<void> {
  const { sessions, hasPassed } = await lockStepUp(tx, projectId, stepUp, new Date(nowMs));
  if (hasPassed) throw stepUpFault('chain_passed', asker);
  if (sessions > (fields.config?.maxRetries ?? configDefaults.maxRetries)) throw stepUpFault('budget_exhausted', asker);
}

/** A retry is for the receipt of the session that failed, or for none. */
function requireStepUpOf({ asker }: SessionOwner, { stepUp }: StoredSession, { stepUpFor }: SessionRequest): void {
  if (asker !== 'backend' || stepUpFor === undefined || stepUpFor === stepUp?.receiptId) return;
  const message = 'isn’t the receipt of the session that is retried. Send stepUpFor without previousSessionId.';
  throw invalid([{ path: '/stepUpFor', message }]);
}

/** Respondents of a link take part in a study, and a step-up is no participation. */
function requireOwnStepUp({ linkId }: SessionRequest): void {
  if (linkId === undefined) return;
  throw invalid([{ path: '/stepUpFor', message: 'can’t be combined with linkId. Send one of them.' }]);
}

async function insertCounted(tx: Queryable, session: NewSession): Promise<void> {
  await insertSession(tx, session);
  await countLinkSession(tx, session);
}

const consentAheadMs = 86_400_000;
const consentAgeMs = 10 * 366 * 86_400_000;

/** The consent may be older than the session, as one given to a panel; a clock may be wrong by a day, and seconds in place of ms are a mistake. */
function findConsentIssue(consent: SessionRequest['consent'], nowMs: number): Issue | null {
  if (consent === undefined) return null;
  const atMs = Date.parse(consent.at);
  if (atMs <= nowMs + consentAheadMs && atMs >= nowMs - consentAgeMs) return null;
  const message = 'is in the future or more than 10 years ago. Send the ISO 8601 time at which the consent was given.';
  return { path: '/consent/at', message };
}

/** A page may choose another widgetMode unless the project locks its own; a backend may always. */
function requireWidgetMode(
  { project, asker }: Pick<SessionOwner, 'project' | 'asker'>,
  { widgetMode }: SessionRequest,
): void {
  const config = { ...configDefaults, ...project.fields.config };
  if (!config.lockWidgetMode || asker === 'backend' || widgetMode === undefined || widgetMode === config.widgetMode)
    return;
  const message = `must be ${config.widgetMode} or omitted, because config.lockWidgetMode is on.`;
  throw invalid([{ path: '/widgetMode', message }]);
}

/** The parent as it is now, under the lock. */
async function reread(tx: Queryable, parent: StoredSession): Promise<StoredSession> {
  const session = await findSession(tx, parent.sessionId);
  if (session === null) throw notFound('session');
  return session;
}

/** A backend decides what it sends, but not for whom a chain is. A page decides nothing: what it sends may come from an attacker. */
function retryRequest(owner: SessionOwner, parent: StoredSession, request: SessionRequest): SessionRequest {
  const { studyId: _studyId, respondentId: _respondentId, linkId: _linkId, ...own } = request;
  if (owner.asker === 'backend') return { ...own, ...identityOf(parent) };
  const { widgetMode, lockWidgetMode } = { ...configDefaults, ...owner.project.fields.config };
  const asked = lockWidgetMode ? widgetMode : (request.widgetMode ?? widgetMode);
  return {
    ...requestOf(parent),
    ...(request.consent === undefined ? {} : { consent: request.consent }),
    widgetMode: stricterMode(parent.widgetMode, asked),
  };
}

const stricterMode = (one: WidgetMode, other: WidgetMode): WidgetMode =>
  widgetModes.indexOf(one) > widgetModes.indexOf(other) ? one : other;

/** The session’s creation. The widget mode is not part of it, so that the project’s current one applies. */
function requestOf(parent: StoredSession): SessionRequest {
  const { dataCollector, metadata, consent } = parent;
  return {
    metadata,
    ...identityOf(parent),
    ...(dataCollector === null ? {} : { dataCollector }),
    ...(consent === null ? {} : { consent }),
  };
}

/** Every session of a chain takes these fields from its first one, for every caller. */
const identityOf = ({
  studyId,
  respondentId,
  linkId,
}: StoredSession): Pick<SessionRequest, 'studyId' | 'respondentId' | 'linkId'> => ({
  ...(studyId === null ? {} : { studyId }),
  ...(respondentId === null ? {} : { respondentId }),
  ...(linkId === null ? {} : { linkId }),
});

const stepUpModes = { light: 'captcha', heavy: 'standard' } as const;

function draftSession(
  { random, now }: SessionServiceDeps,
  { project, mode, diagnostics, asker, link, proof = null }: SessionOwner,
  request: SessionRequest,
  stepUp: StepUp | null,
): { readonly session: NewSession; readonly clientSecret: string } {
  const clientSecret = random.bytes(secretBytes).toString('base64url');
  const config = { ...configDefaults, ...project.fields.config };
  const widgetMode = stepUp === null ? (request.widgetMode ?? config.widgetMode) : stepUpModes[stepUp.intensity];
  const sessionId = makeId('session');
  const respondentId = request.respondentId ?? null;
  const isExpired = fixedRespondentOf({ mode, respondentId }) === 'test_expired';
  const isDemanded = stepUp?.intensity === 'heavy' || link?.minimumAssurance === 'biometric';
  const minimumAssurance = isDemanded ? 'biometric' : config.minimumAssurance;
  const nowMs = now();
  const session: NewSession = {
    sessionId,
    organizationId: project.organizationId,
    projectId: project.projectId,
    secretHash: hashClientSecret(clientSecret),
    mode,
    diagnostics,
    studyId: request.studyId ?? null,
    respondentId,
    ...trustOf(asker, link),
    linkId: request.linkId ?? null,
    deviceRule: link?.device ?? null,
    dataCollector: request.dataCollector ?? null,
    metadata: ownMetadata(request.metadata ?? noMetadata),
    widgetMode,
    minimumAssurance,
    evidenceFrames: config.evidenceFrames,
    nonce: random.bytes(nonceBytes).toString('base64url'),
    challengeCount: countChallenges({ ...config, widgetMode, minimumAssurance }),
    stepUp,
    consent: request.consent ?? null,
    proof,
    rootSessionId: sessionId,
    retryCount: 0,
    createdAt: new Date(nowMs),
    expiresAt: new Date(Math.floor(nowMs / 1_000 + (isExpired ? 0 : sessionLifetimeSeconds)) * 1_000),
  };
  return { session, clientSecret };
}

/** A link of the service’s own is for a study. */
const trustOf = (asker: SessionOwner['asker'], link: SessionOwner['link']) => ({
  respondentTrusted: asker === 'backend' || link?.respondentTrusted === true,
  withinStudy: link?.isOwnReturn === true,
});

const noMetadata: Metadata = {};

function replyOf({ fields }: StoredProject, session: NewSession, clientSecret: string): SessionReply {
  const config = { ...configDefaults, ...fields.config };
  return {
    sessionId: session.sessionId,
    clientSecret,
    expiresAt: session.expiresAt.getTime() / 1_000,
    challengeConfig: challengeConfigOf(session),
    studyConfig: {
      studyId: session.studyId,
      widgetMode: session.widgetMode,
      verificationMode: fields.verificationMode ?? projectDefaults.verificationMode,
      maxRetries: config.maxRetries,
      minimumAssurance: session.minimumAssurance,
      evidenceFrames: session.evidenceFrames,
      livenessModels: livenessModelsOf({ ...config, ...session }),
    },
    metadata: session.metadata,
  };
}

const reserved = /^vh_/;

/** The caller’s own entries. */
const ownMetadata = (metadata: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => !reserved.test(name)));

/** The metadata of a retry: the caller’s, and which chain it belongs to. */
const chainMetadata = (metadata: Metadata, rootSessionId: string, retryCount: number): Metadata => ({
  ...ownMetadata(metadata),
  [chainNames.root]: rootSessionId,
  [chainNames.count]: retryCount,
});
