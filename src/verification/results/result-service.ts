/**
 * The result of a completed session, for as long as its token is valid, and the redirect that score mode may end with. The token says the
 * same however often it is asked for. A redirect leads where the project says at the moment of the redirect, and nowhere else; one whose
 * address is no longer set is a 404. Test and demo sessions lead nowhere: the project’s addresses are live.
 */
import { notFound } from '../../kernel/faults.js';
import type { Environment } from '../../config/settings.js';
import type { Dispatch, SessionResult } from '../../contract/score-envelope.js';
import { audienceOf, tokenTypes } from '../../contract/token-kinds.js';
import type { StoredProject } from '../../administration/project-store.js';
import type { Database } from '../../stores/database/port.js';
import { requireResult } from '../sessions/session-state.js';
import { findSession, type StoredSession } from '../sessions/session-store.js';
import {
  claimsOf,
  readsAsPage,
  tokenLifetimeSeconds,
  signVerificationToken,
  type VerifyToken,
} from '../tokens/verification-token.js';
import type { SigningDirectory } from '../tokens/signing-directory.js';
import type { TokenKeys } from '../tokens/token-keys.js';
import { takeRedirectCode, useRedirectCode, redirectOutcome, redirectTarget } from './redirects.js';
import type { HostedLink } from '../../administration/hosted-links.js';

export interface ResultServiceDeps {
  readonly database: Database;
  readonly signing: SigningDirectory;
  readonly tokenKeys: Pick<TokenKeys, 'sign'>;
  /** The API root; issuer of tokens, and where the redirect is. */
  readonly issuer: () => string;
  readonly environment: Environment;
  readonly now: () => number;
}

type Completed = StoredSession & {
  readonly [Name in 'completedAt' | 'status' | 'tokenId' | 'result']: NonNullable<StoredSession[Name]>;
};

export interface SignedResult {
  readonly status: Completed['status'];
  /** A vh_token. */
  readonly token: string;
}

/** A page reads with its session’s secret. */
export type ResultReader = { readonly clientSecret: string } | 'backend';

export type ResultService = ReturnType<typeof createResultService>;

export function createResultService(deps: ResultServiceDeps) {
  const { database, now } = deps;
  const targetOf = ({ fields }: StoredProject, session: Completed): URL | null =>
    redirectTarget(fields, deps.environment, redirectOutcome(session.result.dispatch, session.status));

  const signToken = (session: Completed): Promise<string> =>
    deps.tokenKeys.sign(
      { ...claimsOf(session, deps.issuer()), aud: audienceOf(session.projectId, session.mode) },
      tokenTypes.verification,
    );

  return {
    /** The part of the result that the reader may learn; a redirect is the page’s alone, so that a backend uses none up. Throws CONFLICT or SESSION_EXPIRED if there is no result. */
    async read(session: StoredSession, project: StoredProject, reader: ResultReader): Promise<SessionResult> {
      const completed = requireCompleted(session, now());
      const secret = await deps.signing.current(completed);
      const token = signVerificationToken(secret, claimsOf(completed, deps.issuer()));
      const hasRedirect = targetOf(project, completed) !== null;
      const isWithheld = hasRedirect && completed.mode !== 'live';
      const code =
        hasRedirect && !isWithheld && reader !== 'backend'
          ? await takeRedirectCode(database, { ...reader, sessionId: session.sessionId }, now())
          : null;
      const redirectUrl =
        code === null ? null : `${deps.issuer()}/public/sessions/${session.sessionId}/redirect?code=${code}`;
      const { dispatch: decided, page } = completed.result;
      const isWhole = reader === 'backend' && !readsAsPage(completed.mode);
      const { reason } = isWhole ? decided : page;
      const dispatch = { status: decided.status, redirectUrl, reason: isWithheld ? 'not_live' : reason };
      const envelope = envelopeOf(completed, project, token, dispatch);
      return isWhole ? { ...envelope, ...backendViewOf(completed) } : envelope;
    },

    /** The verdict of a completed session, a fail if a limit of score mode stops it, and a fresh vh_token of it. Throws CONFLICT or SESSION_EXPIRED where there is no result. */
    async signed(session: StoredSession): Promise<SignedResult> {
      const completed = requireCompleted(session, now());
      const isStopped = completed.result.dispatch.status === 'score_blocked';
      return { status: isStopped ? 'fail' : completed.status, token: await signToken(completed) };
    },

    /** The target of the browser, with a fresh vh_token. Throws NOT_FOUND unless the code is valid. */
    async redirect(
      sessionId: string,
      code: string,
      findProject: (projectId: string) => Promise<StoredProject | null>,
    ): Promise<string> {
      const session = await findSession(database, sessionId);
      if (session === null || session.completedAt === null || session.mode !== 'live') throw notFound('redirect');
      const completed = requireCompleted(session, now());
      const project = await findProject(session.projectId);
      const target = project === null ? null : targetOf(project, completed);
      // The code is used up whatever comes of it.
      const isGood = await useRedirectCode(database, sessionId, code, now());
      if (!isGood || target === null) throw notFound('redirect');
      target.searchParams.set('vh_token', await signToken(completed));
      return target.href;
    },
  };
}

function requireCompleted(session: StoredSession, nowMs: number): Completed {
  requireResult(session, tokenLifetimeSeconds, nowMs);
  return session as Completed;
}

function envelopeOf(session: Completed, { fields }: StoredProject, token: string, dispatch: Dispatch): SessionResult {
  const { verdict, page } = session.result;
  const isExposed = fields.verificationMode === 'score' && fields.scoreModeConfig?.exposeBreakdown === true;
  return {
    sessionId: session.sessionId,
    status: session.status,
    scores: {
      ...page.scores,
      ...(page.shown.riskOverall === undefined ? {} : { risk_overall: page.shown.riskOverall }),
    },
    studyId: session.studyId,
    respondentId: session.respondentId,
    ...(session.stepUp === null ? {} : { stepUpFor: session.stepUp.receiptId }),
    metadata: session.metadata,
    failureReasons: page.failureReasons,
    failureCodes: page.failureCodes,
    biometricEvidence: verdict.biometricEvidence,
    token,
    ...(isExposed ? { contributions: verdict.risk.contributions } : {}),
    dispatch,
  };
}

/** The backend’s fields, which replace those that a page learns. */
function backendViewOf({ result: { verdict, shown } }: Completed): Partial<SessionResult> {
  const { modelVersion: _modelVersion, risk: _risk, duplication: _duplication, scores, ...rest } = verdict;
  const { risk, riskOverall, duplication } = shown;
  return {
    ...rest,
    scores: { ...scores, ...(riskOverall === undefined ? {} : { risk_overall: riskOverall }) },
    ...(risk === undefined ? {} : { risk }),
    ...(duplication === undefined ? {} : { duplication }),
  };
}

export interface LinkedResultDeps {
  readonly database: Database;
  readonly verifyToken: VerifyToken;
  readonly results: Pick<ResultService, 'signed'>;
}

/** null where the token does not verify, or is not of a session of the link. */
export function createLinkedResults({ database, verifyToken, results }: LinkedResultDeps) {
  return async (link: HostedLink, token: string): Promise<SignedResult | null> => {
    const { organizationId, projectId, mode } = link;
    const verified = await verifyToken({ organizationId, projectId, mode }, token);
    const session = verified.sessionId === undefined ? null : await findSession(database, verified.sessionId);
    if (!verified.success || session === null || session.linkId !== link.linkId) return null;
    return results.signed(session);
  };
}
