/** The demo organization of a first start on an empty database: printed once, and kept in bootstrap.json (mode 0600) in the data directory. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../stores/database/port.js';
import type { RateLimits } from '../../contract/api-key.js';
import { mintKey } from '../../administration/api-keys.js';
import { insertOrganization } from '../../administration/organization-store.js';
import { insertProject } from '../../administration/project-store.js';
import type { SigningSecrets } from '../../administration/signing-secrets.js';

export interface BootstrapIds {
  readonly organizationId: string;
  readonly projectId: string;
  readonly siteKey: string;
  readonly probeKey: string;
  readonly projectKey: string;
  readonly organizationKey: string;
}

export interface Addresses {
  readonly baseUrl: string;
  readonly siteUrl: string;
  readonly audienceUrl: string;
  readonly adminUrl: string;
}

export type Bootstrap = Addresses & BootstrapIds;

/** High enough that a load test with the demo keys measures the service and not the limit. */
const demoLimits: RateLimits = { perMinute: 1_000_000, perDay: 1_000_000_000 };

const pathOf = (directory: string): string => join(directory, 'bootstrap.json');

/**
 * Creates the demo organization where the database holds no organization yet; null where it does. `keep` runs before the commit: the keys are
 * shown nowhere again, so without it there is no organization.
 */
export async function bootstrapDemo(
  database: Database,
  signingSecrets: SigningSecrets,
  keep: (ids: BootstrapIds) => void,
): Promise<BootstrapIds | null> {
  return database.transaction(async (tx) => {
    await tx.query('LOCK TABLE organizations IN EXCLUSIVE MODE');
    const [row] = await tx.query<{ present: boolean }>('SELECT EXISTS (SELECT 1 FROM organizations) AS present');
    if (row?.present === true) return null;
    const organizationId = await insertOrganization(tx, {
      name: 'Demo organization',
      tier: 'enterprise',
      liteEnabled: true,
    });
    const project = await insertProject(tx, organizationId, { name: 'Demo project' });
    if (project === null) throw new Error('the demo project conflicts with another in an empty database');
    await signingSecrets.rotate(tx, project, false);
    const projectKey = await mintKey(tx, {
      organizationId,
      projectId: project.projectId,
      name: 'Demo project key',
      isTest: false,
      limits: demoLimits,
    });
    const organizationKey = await mintKey(tx, {
      organizationId,
      projectId: null,
      name: 'Demo organization key',
      isTest: false,
      limits: demoLimits,
    });
    const ids = {
      organizationId,
      projectId: project.projectId,
      siteKey: project.projectId,
      probeKey: project.probeKey,
      projectKey: projectKey.secret,
      organizationKey: organizationKey.secret,
    };
    keep(ids);
    return ids;
  });
}

export function writeBootstrap(directory: string, bootstrap: Bootstrap): void {
  const draft = `${pathOf(directory)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(bootstrap, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, pathOf(directory));
}

/** The result of an earlier start, or null. */
export function readBootstrap(directory: string): Bootstrap | null {
  try {
    return JSON.parse(readFileSync(pathOf(directory), 'utf8')) as Bootstrap;
  } catch {
    return null;
  }
}
