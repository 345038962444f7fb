/** `npm run console -- [--role owner|admin|member] [--org ID]`: prints a link that signs in to the console once, and nothing else. */
import { parseArgs } from 'node:util';
import { issueConsoleToken } from '../administration/console-tokens.js';
import { readSettings } from '../config/read.js';
import { dashboardRoles } from '../kernel/caller.js';
import { readBootstrap } from '../projects/operator/bootstrap.js';
import { siteUrlOf } from '../wiring/parts.js';
import { operatorMasterKey } from './operator-target.js';

try {
  process.stdout.write(`${await printLink(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}

async function printLink(args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { role: { type: 'string', default: 'owner' }, org: { type: 'string' } },
  });
  const role = dashboardRoles.find((known) => known === values.role);
  if (role === undefined)
    throw new Error(`The role is missing. Add --role ${[...dashboardRoles].reverse().join('|')}.`);
  const settings = readSettings(process.env);
  if (settings.DATABASE_URL !== null)
    throw new Error('Sign-in links need the embedded database. With DATABASE_URL, sign in with OIDC.');
  const bootstrap = readBootstrap(settings.VH_DATA_DIR);
  const organizationId = values.org ?? bootstrap?.organizationId;
  if (organizationId === undefined)
    throw new Error(
      `The organization is missing. Add --org ID, because ${settings.VH_DATA_DIR} has no bootstrap.json.`,
    );
  const link = await issueConsoleToken(operatorMasterKey(settings), 'link', {
    ...{ organizationId, role },
    subject: `operator:${role}`,
  });
  return `${bootstrap?.siteUrl ?? siteUrlOf(settings, settings.PORT)}/console#link=${link}`;
}
