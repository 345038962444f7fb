/** `npm run token -- --role owner|admin|member [--org ID]`: prints a dashboard token of the embedded issuer, and nothing else. */
import { parseArgs } from 'node:util';
import { issueDashboardToken } from '../administration/dashboard-tokens.js';
import { readSettings } from '../config/read.js';
import { readOrganization, readRole } from './dashboard-owner.js';
import { operatorMasterKey } from './operator-target.js';
import { print } from './print.js';

const lifetimeSeconds = 8 * 3_600;

await print(() => {
  const { values } = parseArgs({ options: { role: { type: 'string' }, org: { type: 'string' } } });
  const role = readRole(values.role);
  const settings = readSettings(process.env);
  const organizationId = readOrganization(values.org, settings);
  return issueDashboardToken(operatorMasterKey(settings), { organizationId, role, lifetimeSeconds });
});
