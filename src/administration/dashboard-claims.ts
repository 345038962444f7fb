/** The claims of a verified dashboard token as a caller. */
import type { JWTPayload } from 'jose';
import { Fault } from '../errors.js';
import { findUnstorable } from '../kernel/body.js';
import { dashboardRoles, type DashboardCaller } from '../kernel/caller.js';

/** Longest identifier in characters, as OpenID Connect has it for `sub`: the audit trail and a cookie hold it. */
const identifierLengthMax = 255;

const isIdentifier = (claim: unknown): claim is string =>
  typeof claim === 'string' &&
  claim !== '' &&
  claim.length <= identifierLengthMax &&
  findUnstorable(claim, '') === null;

/** Throws INVALID_TOKEN if a claim is missing or malformed. */
export function dashboardCallerOf(payload: JWTPayload): DashboardCaller {
  const role = dashboardRoles.find((known) => known === payload['role']);
  const { sub: subject, org_id: organizationId } = payload as Readonly<Record<string, unknown>>;
  if (role === undefined || !isIdentifier(organizationId) || !isIdentifier(subject)) {
    throw new Fault(
      'INVALID_TOKEN',
      `The dashboard token lacks \`org_id\`, \`sub\` or a \`role\` (${dashboardRoles.join(', ')}). Add them at its issuer.`,
    );
  }
  return { kind: 'dashboard', subject, organizationId, role };
}
