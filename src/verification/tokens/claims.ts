/**
 * Claims of a session’s tokens: made from the completed session, so that the token says the same whenever it is made.
 */
import type { TokenClaims } from '../../contract/token.js';

/** Seconds that a token is good for, from the session’s completion. */
export const tokenLifetimeSeconds = 3_600;

export interface CompletedClaims {
  readonly organizationId: string;
  readonly projectId: string;
  readonly sessionId: string;
  readonly isDemo: boolean;
  readonly tokenId: string;
  readonly completedAt: Date;
  readonly status: TokenClaims['status'];
  readonly scores: TokenClaims['scores'];
  readonly studyId: string | null;
  readonly respondentId: string | null;
}

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

export function claimsOf(session: CompletedClaims, issuer: string): TokenClaims {
  const iat = Math.floor(session.completedAt.getTime() / 1_000);
  return {
    iss: issuer,
    aud: session.organizationId,
    sub: session.sessionId,
    jti: session.tokenId,
    iat,
    exp: iat + tokenLifetimeSeconds,
    project_id: session.projectId,
    status: session.status,
    scores: orderScores(session.scores),
    ...(session.studyId === null ? {} : { study_id: session.studyId }),
    ...(session.respondentId === null ? {} : { respondent_id: session.respondentId }),
    ...(session.isDemo ? { is_demo: true as const } : {}),
  };
}
