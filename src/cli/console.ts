/** `npm run console -- [--role owner|admin|member] [--org ID]`: prints a link that signs in to the console once, and nothing else. */
import { parseArgs } from 'node:util';
import { issueConsoleToken } from '../administration/console-tokens.js';
import { readSettings } from '../config/read.js';
import { readBootstrap } from '../projects/operator/bootstrap.js';
import { siteUrlOf } from '../wiring/parts.js';
import { readOrganization, readRole } from './dashboard-owner.js';
import { operatorMasterKey } from './operator-target.js';
import { print } from './print.js';

await print(async () => {
  const { values } = parseArgs({ options: { role: { type: 'string', default: 'owner' }, org: { type: 'string' } } });
  const role = readRole(values.role);
  const settings = readSettings(process.env);
  if (settings.DATABASE_URL !== null)
    throw new Error('Sign-in links need the embedded database. With DATABASE_URL, sign in with OIDC.');
  const organizationId = readOrganization(values.org, settings);
  const link = await issueConsoleToken(operatorMasterKey(settings), 'link', {
    ...{ organizationId, role },
    subject: `operator:${role}`,
  });
  const siteUrl = readBootstrap(settings.VH_DATA_DIR)?.siteUrl ?? siteUrlOf(settings, settings.PORT);
  return `${siteUrl}/console#link=${link}`;
});
