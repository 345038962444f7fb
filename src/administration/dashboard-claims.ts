/** The claims of a verified dashboard token as a caller. */
import type { JWTPayload } from 'jose';
import { Fault } from '../errors.js';
import { dashboardRoles, type DashboardCaller } from '../kernel/caller.js';

/** Throws INVALID_TOKEN if a claim is missing. */
export function dashboardCallerOf(payload: JWTPayload): DashboardCaller {
  const role = dashboardRoles.find((known) => known === payload['role']);
  const organizationId = payload['org_id'];
  if (role === undefined || typeof organizationId !== 'string' || payload.sub === undefined) {
    throw new Fault(
      'INVALID_TOKEN',
      `The dashboard token lacks \`org_id\`, \`sub\` or a \`role\` (${dashboardRoles.join(', ')}). Add them at its issuer.`,
    );
  }
  return { kind: 'dashboard', subject: payload.sub, organizationId, role };
}
