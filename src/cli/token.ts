/** `npm run token -- --role owner|admin|member [--org ID]`: prints a dashboard token of the embedded issuer, and nothing else. */
import { parseArgs } from 'node:util';
import { dashboardRoles, type DashboardRole } from '../kernel/caller.js';
import { readSettings } from '../config/read.js';
import { operatorMasterKey } from './operator-target.js';
import { readBootstrap } from '../projects/operator/bootstrap.js';
import { issueDashboardToken } from '../administration/dashboard-tokens.js';

const lifetimeSeconds = 8 * 3_600;

try {
  process.stdout.write(`${await printToken(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}

function printToken(args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { role: { type: 'string' }, org: { type: 'string' } } });
  const role = dashboardRoles.find((known): known is DashboardRole => known === values.role);
  if (role === undefined)
    throw new Error(`The role is missing. Add --role ${[...dashboardRoles].reverse().join('|')}.`);
  const settings = readSettings(process.env);
  const organizationId = values.org ?? readBootstrap(settings.VH_DATA_DIR)?.organizationId;
  if (organizationId === undefined)
    throw new Error(
      `The organization is missing. Add --org ID, because ${settings.VH_DATA_DIR} has no bootstrap.json.`,
    );
  const masterKey = operatorMasterKey(settings);
  return issueDashboardToken(masterKey, { organizationId, role, lifetimeSeconds });
}
