/**
 * Looks for earlier participations of the same respondent. A respondentId counts as proof only where a backend or a hosted link named it both
 * times, or where the device is the same: a page may write any id, and must not use up somebody’s participation.
 */
import type { IdentityComparison, Participation } from '../../contract/uniqueness.js';
import type { Queryable } from '../../stores/database/port.js';
import { inScope, scopeValues, type Scope } from './fingerprint-store.js';

export interface IdentityQuery {
  readonly scope: Scope;
  readonly respondentId: string;
  readonly respondentTrusted: boolean;
  readonly deviceRef: string | null;
  readonly rootSessionId: string;
  /** Participations before this time may be repeated. */
  readonly sinceMs: number;
}

export type ParticipationRow = Readonly<Record<'fingerprintId' | 'sessionId', string>> & {
  readonly respondentId: string | null;
  readonly completedAt: Date;
};
type IdentityRow = ParticipationRow & { readonly isProven: boolean };

export const participationColumns = `f.fingerprint_id AS "fingerprintId", f.session_id AS "sessionId", f.respondent_id AS "respondentId", f.completed_at AS "completedAt"`;

export const participationOf = (row: ParticipationRow): Participation => {
  const { fingerprintId, sessionId, respondentId, completedAt } = row;
  return { fingerprintId, sessionId, respondentId, completedAtMs: completedAt.getTime() };
};

const earlierOf = `f.status IN ('pass', 'review') AND f.root_session_id <> $6 AND f.respondent_id = $7 AND ${inScope}`;
const lastOf = (condition: string): string =>
  `(SELECT ${participationColumns}, true AS "isProven" FROM fingerprints f WHERE ${condition} AND ${earlierOf} ORDER BY f.completed_at DESC LIMIT 1)`;
/** The last of a trusted respondent, the last of the device, and any that a page names within the window. */
const findEarlier = `${lastOf('f.respondent_trusted AND $8::boolean')} UNION ALL ${lastOf('f.device_ref = $9')} UNION ALL
  (SELECT ${participationColumns}, false FROM fingerprints f WHERE f.completed_at >= $10 AND ${earlierOf} LIMIT 1)`;

export async function findIdentity(tx: Queryable, query: IdentityQuery): Promise<IdentityComparison> {
  const { scope, respondentId, respondentTrusted, deviceRef, rootSessionId, sinceMs } = query;
  const rows = await tx.query<IdentityRow>(findEarlier, [
    ...[...scopeValues(scope), rootSessionId, respondentId, respondentTrusted, deviceRef],
    new Date(sinceMs),
  ]);
  const proven = rows.filter(({ isProven }) => isProven).map(participationOf);
  const last = proven.reduce<Participation | null>(
    (latest, one) => (latest !== null && latest.completedAtMs >= one.completedAtMs ? latest : one),
    null,
  );
  return { ...byWindow(last, sinceMs), isClaimed: last === null && rows.length > 0 };
}

/** A proven participation blocks within the window, and is a return after it. */
export function byWindow(
  proven: Participation | null,
  sinceMs: number,
): Pick<IdentityComparison, 'match' | 'returning'> {
  const isBlocking = proven !== null && proven.completedAtMs >= sinceMs;
  return isBlocking ? { match: proven, returning: null } : { match: null, returning: proven };
}
