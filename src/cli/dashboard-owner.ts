/** For whom the commands `token` and `console` sign in. */
import type { Settings } from '../config/settings.js';
import { dashboardRoles, type DashboardRole } from '../kernel/caller.js';
import { readBootstrap } from '../projects/operator/bootstrap.js';

export function readRole(given: string | undefined): DashboardRole {
  const role = dashboardRoles.find((known) => known === given);
  if (role !== undefined) return role;
  throw new Error(`The role is missing. Add --role ${[...dashboardRoles].reverse().join('|')}.`);
}

/** The organization that is named, or that of the demo. */
export function readOrganization(given: string | undefined, { VH_DATA_DIR }: Settings): string {
  const organizationId = given ?? readBootstrap(VH_DATA_DIR)?.organizationId;
  if (organizationId !== undefined) return organizationId;
  throw new Error(`The organization is missing. Add --org ID, because ${VH_DATA_DIR} has no bootstrap.json.`);
}
