/** The vh_token of a survey: a JWT of one quota reservation. Algorithm, type, issuer and times are pinned; what it names is looked up. */
import type { KeyObject } from 'node:crypto';
import type { ReservationClaims } from '../contract/study-replies.js';
import { audienceOf, tokenTypes } from '../contract/token-kinds.js';
import { studyTokenSeconds } from '../limits.js';
import { isSignedByKey, readCompactJws } from '../crypto/compact-jws.js';
import { makeId } from '../crypto/ids.js';
import type { QuotaReservation } from './reservation-store.js';
import type { Study } from './study-store.js';

export interface ReservationTokenDeps {
  readonly sign: (claims: ReservationClaims) => Promise<string>;
  /** A published key, or null. */
  readonly publicKey: (keyId: string) => KeyObject | null;
  /** The API root. */
  readonly issuer: () => string;
  readonly now: () => number;
}

export type ReservationTokens = ReturnType<typeof createReservationTokens>;

export function createReservationTokens(deps: ReservationTokenDeps) {
  return {
    async issue(
      reservation: QuotaReservation,
      study: Pick<Study, 'isTest'>,
      { liveness, uniqueness, authenticity, overall, quality, fraud }: ReservationClaims['scores'],
    ): Promise<{ readonly token: string; readonly until: Date }> {
      const iat = Math.floor(deps.now() / 1_000);
      const exp = iat + studyTokenSeconds;
      const mode = study.isTest ? 'test' : 'live';
      const token = await deps.sign({
        iss: deps.issuer(),
        aud: audienceOf(reservation.projectId, mode),
        sub: reservation.reservationId,
        jti: makeId('token'),
        iat,
        exp,
        purpose: 'study_place',
        mode,
        project_id: reservation.projectId,
        study_id: reservation.studyId,
        respondent_id: reservation.respondentId,
        source_id: reservation.sourceId,
        status: reservation.recommendation === 'review' ? 'review' : 'pass',
        risk_overall: (reservation.score ?? 0) / 100,
        scores: { liveness, uniqueness, authenticity, overall, quality, fraud },
      });
      return { token, until: new Date(exp * 1_000) };
    },

    /** The claims of a token that was made here and is in time; null for any other. */
    read(token: string): ReservationClaims | null {
      const jws = readCompactJws(token);
      if (jws === null || !isSignedByKey(jws, tokenTypes.study_place, deps.publicKey)) return null;
      const claims = jws.payload as Partial<ReservationClaims>;
      const isOfReservation =
        claims.purpose === 'study_place' && typeof claims.sub === 'string' && typeof claims.study_id === 'string';
      const isInTime = typeof claims.exp === 'number' && claims.exp * 1_000 > deps.now();
      return isOfReservation && isInTime && claims.iss === deps.issuer() ? (claims as ReservationClaims) : null;
    },
  };
}

/** Whether the token is of this reservation, in this study, for this respondent. */
export const isTokenOf = (claims: ReservationClaims, reservation: QuotaReservation): boolean =>
  claims.sub === reservation.reservationId &&
  claims.study_id === reservation.studyId &&
  claims.project_id === reservation.projectId &&
  claims.respondent_id === reservation.respondentId;
