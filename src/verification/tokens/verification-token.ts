/**
 * verificationToken: a JWT that the project’s signing secret signs (HMAC-SHA-256) and only this service verifies. Algorithm, type, issuer
 * and key version are pinned; a header is never asked what to do. A signature is compared in constant time, and one is computed whatever
 * the token says, so that the time of a refusal reveals nothing about the reason. A vh_token, whose signature (EdDSA) anybody can check, is
 * verified in the same way: its key decides the algorithm.
 *
 * Checked in this order: form (MALFORMED), audience (WRONG_AUDIENCE), signature and what is pinned (INVALID), project (WRONG_PROJECT),
 * mode (a key takes tokens of its own alone: INVALID), time (EXPIRED).
 */
import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { KeyCaller } from '../../kernel/caller.js';
import type { SessionMode } from '../../contract/common.js';
import type { StepUp } from '../../contract/step-up.js';
import { audienceOf, tokenTypes } from '../../contract/token-kinds.js';
import type { TokenClaims, TokenError, TokenReply } from '../../contract/token.js';
import type { PageVerdict, ShownRisk, Verdict, VerdictDispatch, VerdictOutcome } from '../../contract/verdict.js';
import type { SigningSecret } from '../../administration/signing-secrets.js';
import type { NewSession } from '../sessions/session-store.js';
import { isPinned, isSignedByKey, readCompactJws, writePart, type CompactJws } from '../../crypto/compact-jws.js';

/** The secrets of a project that may still verify, from the cache; null where there is no such project in the organization. */
export type FindSecrets = (
  projectId: string,
  organizationId: string,
  wantedVersion: number | null,
) => Promise<readonly SigningSecret[] | null>;

/** Another instance may sign with the previous secret for a moment after a rotation. */
const rotationSlackMs = 60_000;
const nobody = Buffer.alloc(32);
const versionForm = /^[1-9]\d{0,8}$/;

export function signVerificationToken({ secret, version }: SigningSecret, claims: TokenClaims): string {
  const signed = `${writePart({ alg: 'HS256', typ: tokenTypes.verification, kid: String(version) })}.${writePart(claims)}`;
  return `${signed}.${hmac(secret, signed).toString('base64url')}`;
}

export interface TokenVerifierDeps {
  readonly findSecrets: FindSecrets;
  /** A published key of vh_token; null for none, and then no vh_token verifies. */
  readonly publicKey: (keyId: string) => KeyObject | null;
  /** The session’s outcome, for a backend; null if it was erased or the database is unavailable. */
  readonly readResult: (sessionId: string) => Promise<VerdictOutcome | null>;
  readonly issuer: () => string;
  readonly now: () => number;
}

/** For whom a token is verified: of which organization, one project of it or all, and in which mode. A key takes tokens of its own mode alone. */
export interface TokenAudience extends Pick<KeyCaller, 'organizationId' | 'projectId'> {
  readonly mode: SessionMode;
}
export type VerifyToken = (caller: TokenAudience, token: string) => Promise<TokenReply>;

export function createTokenVerifier(deps: TokenVerifierDeps): VerifyToken {
  const { issuer, now } = deps;
  return async (caller, token) => {
    const jws = readCompactJws(token);
    if (jws === null) return refused('MALFORMED');
    const check = jws.header['alg'] === 'EdDSA' ? checkPublic : checkSecret;
    const error = await check(deps, caller, jws);
    if (error !== null) return refused(error);
    const claims = jws.payload as TokenClaims;
    if (claims.iss !== issuer() || claims.purpose !== 'verification') return refused('INVALID');
    if (caller.projectId !== null && caller.projectId !== claims.project_id) return refused('WRONG_PROJECT');
    if (claims.mode !== caller.mode) return { ...refused('INVALID'), hint: 'mode' };
    if (claims.exp * 1_000 <= now()) return refused('EXPIRED');
    return replyOf(claims, await deps.readResult(claims.sub));
  };
}

type CheckSignature = (
  deps: TokenVerifierDeps,
  caller: TokenAudience,
  jws: CompactJws,
) => Promise<'WRONG_AUDIENCE' | 'INVALID' | null>;

const checkSecret: CheckSignature = async ({ findSecrets, now }, { organizationId }, jws) => {
  const { aud, project_id: projectId } = jws.payload;
  const version = versionOf(jws.header['kid']);
  const ours = aud === organizationId;
  const secrets = ours && typeof projectId === 'string' ? await findSecrets(projectId, organizationId, version) : null;
  const secret = secrets?.find((candidate) => candidate.version === version) ?? null;
  const isSigned = equals(hmac(secret?.secret ?? nobody, jws.signed), jws.signature) && secret !== null;
  if (!ours) return typeof aud === 'string' ? 'WRONG_AUDIENCE' : 'INVALID';
  return isSigned && isPinned(jws, 'HS256', tokenTypes.verification) && !isRetired(secret, now()) ? null : 'INVALID';
};

/** Its audience is the project; whose that is, is looked up. */
const checkPublic: CheckSignature = async ({ findSecrets, publicKey }, { organizationId }, jws) => {
  if (!isSignedByKey(jws, tokenTypes.verification, publicKey)) return 'INVALID';
  const { aud, project_id: projectId, mode } = jws.payload as TokenClaims;
  if (aud !== audienceOf(projectId, mode)) return 'INVALID';
  return (await findSecrets(projectId, organizationId, null)) === null ? 'WRONG_AUDIENCE' : null;
};

const refused = (error: TokenError): TokenReply => ({ success: false, error });

/** Whether keys of a mode read no more of an outcome than its page: anybody can create a demo key. */
export const readsAsPage = (mode: SessionMode): boolean => mode === 'demo';

const viewOf = ({ verdict, page, shown }: VerdictOutcome, mode: SessionMode): Omit<PageVerdict, 'reason'> =>
  readsAsPage(mode) ? page : { ...verdict, shown };

/** The token’s claims are what its page may know; a backend learns the rest as well. */
function replyOf(claims: TokenClaims, result: VerdictOutcome | null): TokenReply {
  const view = result === null ? null : viewOf(result, claims.mode);
  const riskOverall = view === null ? claims.risk_overall : view.shown.riskOverall;
  return {
    success: true,
    sessionId: claims.sub,
    status: claims.status,
    dispatch: claims.dispatch,
    mode: claims.mode,
    assuranceLevel: claims.assurance_level,
    verificationOutcome: claims.verification_outcome,
    biometricEvidence: claims.biometric_evidence,
    widgetMode: claims.widget_mode,
    scores: {
      ...(view?.scores ?? claims.scores),
      ...(riskOverall === undefined ? {} : { riskOverall }),
    },
    ...(view === null ? {} : detailsOf(view)),
    ...(claims.study_id === undefined ? {} : { studyId: claims.study_id }),
    ...(claims.respondent_id === undefined ? {} : { respondentId: claims.respondent_id }),
    ...(claims.data_collector === undefined ? {} : { dataCollector: claims.data_collector }),
    ...(claims.step_up_for === undefined ? {} : { stepUpFor: claims.step_up_for }),
    issuedAt: claims.iat,
    expiresAt: claims.exp,
  };
}

function detailsOf(view: Omit<PageVerdict, 'reason'>): Partial<TokenReply> {
  const { failureReasons, failureCategory, fraudSignals } = view;
  const { isDuplicate, duplicateMatch, priorParticipation } = view;
  return { failureReasons, failureCategory, fraudSignals, isDuplicate, duplicateMatch, priorParticipation };
}

const isRetired = ({ replacedAt }: SigningSecret, nowMs: number): boolean =>
  replacedAt !== null && replacedAt.getTime() + tokenLifetimeSeconds * 1_000 + rotationSlackMs <= nowMs;

const versionOf = (kid: unknown): number | null =>
  typeof kid === 'string' && versionForm.test(kid) ? Number(kid) : null;

const hmac = (secret: Uint8Array, text: string): Buffer => createHmac('sha256', secret).update(text).digest();

const equals = (expected: Buffer, given: Buffer): boolean =>
  timingSafeEqual(expected, given.length === expected.length ? given : Buffer.alloc(expected.length)) &&
  given.length === expected.length;

/** Seconds that a token is good for, from the session’s completion. */
export const tokenLifetimeSeconds = 3_600;

export type CompletedSession = Pick<
  NewSession,
  'organizationId' | 'projectId' | 'sessionId' | 'mode' | 'studyId' | 'respondentId' | 'dataCollector' | 'widgetMode'
> & {
  readonly stepUp: Pick<StepUp, 'receiptId'> | null;
  readonly tokenId: string;
  readonly completedAt: Date;
  readonly result: {
    readonly verdict: Pick<Verdict, 'status' | 'assuranceLevel' | 'verificationOutcome' | 'biometricEvidence'>;
    readonly dispatch: Pick<VerdictDispatch, 'status'>;
    /** The page holds the token and can read its claims. */
    readonly page: Pick<PageVerdict, 'scores'> & { readonly shown: Pick<ShownRisk, 'riskOverall'> };
  };
};

/** In one order, however they come from the database, so that the token is the same to the byte. */
const orderScores = ({
  liveness,
  uniqueness,
  authenticity,
  overall,
  quality,
  fraud,
}: TokenClaims['scores']): TokenClaims['scores'] => ({
  ...{ liveness, uniqueness, authenticity, overall, quality, fraud },
});

export function claimsOf(session: CompletedSession, issuer: string): TokenClaims {
  const { verdict, dispatch, page } = session.result;
  const { riskOverall } = page.shown;
  const iat = Math.floor(session.completedAt.getTime() / 1_000);
  return {
    iss: issuer,
    aud: session.organizationId,
    sub: session.sessionId,
    jti: session.tokenId,
    iat,
    exp: iat + tokenLifetimeSeconds,
    purpose: 'verification',
    mode: session.mode,
    project_id: session.projectId,
    status: verdict.status,
    dispatch: dispatch.status,
    assurance_level: verdict.assuranceLevel,
    verification_outcome: verdict.verificationOutcome,
    biometric_evidence: verdict.biometricEvidence,
    widget_mode: session.widgetMode,
    scores: orderScores(page.scores),
    ...(riskOverall === undefined ? {} : { risk_overall: riskOverall }),
    ...(session.studyId === null ? {} : { study_id: session.studyId }),
    ...(session.respondentId === null ? {} : { respondent_id: session.respondentId }),
    ...(session.dataCollector === null ? {} : { data_collector: session.dataCollector }),
    ...(session.stepUp === null ? {} : { step_up_for: session.stepUp.receiptId }),
  };
}
