/**
 * The vh_token that a survey is given: a JWT of one place in one study, which the survey checks against the key set, and which comes back with
 * the respondent. It is read strictly: algorithm, type, issuer and times are pinned, and what it names is looked up.
 */
import { verify, type KeyObject } from 'node:crypto';
import type { PlaceClaims } from '../contract/study.js';
import { studyTokenSeconds } from '../limits.js';
import { makeId } from '../crypto/ids.js';
import type { Place } from './place-store.js';

export interface PlaceTokenDeps {
  readonly sign: (claims: PlaceClaims) => Promise<string>;
  /** A published key, or null. */
  readonly publicKey: (keyId: string) => KeyObject | null;
  /** Takes a compact token apart; null where it is none. */
  readonly readParts: (token: string) => {
    readonly header: Readonly<Record<string, unknown>>;
    readonly payload: Readonly<Record<string, unknown>>;
    readonly signed: string;
    readonly signature: Uint8Array;
  } | null;
  /** The API root. */
  readonly issuer: () => string;
  readonly now: () => number;
}

export type PlaceTokens = ReturnType<typeof createPlaceTokens>;

export function createPlaceTokens(deps: PlaceTokenDeps) {
  return {
    async issue(place: Place): Promise<{ readonly token: string; readonly until: Date }> {
      const iat = Math.floor(deps.now() / 1_000);
      const exp = iat + studyTokenSeconds;
      const token = await deps.sign({
        iss: deps.issuer(),
        aud: place.projectId,
        sub: place.placeId,
        jti: makeId('token'),
        iat,
        exp,
        project_id: place.projectId,
        study_id: place.studyId,
        respondent_id: place.respondentId,
        source_id: place.sourceId,
        status: place.recommendation === 'review' ? 'review' : 'pass',
        risk_overall: (place.score ?? 0) / 100,
      });
      return { token, until: new Date(exp * 1_000) };
    },

    /** The claims of a token that was made here and is in time; null for any other. */
    read(token: string): PlaceClaims | null {
      const parts = deps.readParts(token);
      if (parts === null) return null;
      const { header, payload } = parts;
      const key = typeof header['kid'] === 'string' ? deps.publicKey(header['kid']) : null;
      const isPinned =
        header['alg'] === 'EdDSA' && header['typ'] === 'JWT' && !('crit' in header) && !('b64' in header);
      if (key === null || !isPinned || !verify(null, Buffer.from(parts.signed), key, parts.signature)) return null;
      const claims = payload as Partial<PlaceClaims>;
      const isOfPlace = typeof claims.sub === 'string' && typeof claims.study_id === 'string';
      const isInTime = typeof claims.exp === 'number' && claims.exp * 1_000 > deps.now();
      return isOfPlace && isInTime && claims.iss === deps.issuer() ? (claims as PlaceClaims) : null;
    },
  };
}

/** Whether the token is of this place, in this study, for this respondent. */
export const isTokenOf = (claims: PlaceClaims, place: Place): boolean =>
  claims.sub === place.placeId &&
  claims.study_id === place.studyId &&
  claims.aud === place.projectId &&
  claims.respondent_id === place.respondentId;
