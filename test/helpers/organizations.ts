/**
 * A service with two organizations and a credential of every kind, for tests of who may do what. What no endpoint can make (an
 * expired key, a key of long ago) is written into the embedded database before the start.
 */
import { join } from 'node:path';
import type t from 'tap';
import type { DashboardRole } from '../../src/kernel/caller.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import { admitMasterKeys } from '../../src/administration/master-keys.js';
import { mintKey } from '../../src/administration/api-keys.js';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import { insertOrganization } from '../../src/administration/organization-store.js';
import { insertProject } from '../../src/administration/project-store.js';
import { createSigningSecrets } from '../../src/administration/signing-secrets.js';
import { bootstrapDemo, writeBootstrap, type BootstrapIds } from '../../src/projects/operator/bootstrap.js';
import { openEmbeddedDatabase } from '../../src/stores/database/embedded/open.js';
import type { Database } from '../../src/stores/database/port.js';
import type { ServiceOptions } from '../../src/main.js';
import { createLogger } from '../../src/telemetry/logger.js';
import type { CredentialKind } from '../service/access-table.js';
import { temporaryDirectory } from './directories.js';
import { copyCluster } from './embedded.js';
import { startTestService, type TestService } from './service.js';

type Test = Pick<typeof t, 'teardown'>;
export type Headers = Readonly<Record<string, string>>;

/** Works on the database of a service that does not run. */
export async function withDatabase<T>(dataDirectory: string, run: (database: Database) => Promise<T>): Promise<T> {
  const database = await openEmbeddedDatabase({
    directory: join(dataDirectory, 'database'),
    logger: createLogger('silent', { write: () => undefined }),
  });
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}

export interface Organizations {
  readonly service: TestService;
  readonly other: {
    readonly organizationId: string;
    readonly organizationKey: string;
    readonly projectId: string;
    readonly projectKey: string;
  };
  /** Another project of the demo organization. */
  readonly sibling: { readonly projectId: string; readonly projectKey: string };
  /** A key of the demo project from before keys had two tiers. */
  readonly earlyKey: string;
  readonly credentials: Readonly<Record<CredentialKind, Headers>>;
  dashboard(role: DashboardRole, organizationId?: string): Promise<Headers>;
}

export const keyHeaders = (key: string): Headers => ({ 'x-api-key': key });

export async function startOrganizations(
  test: Test,
  environment: Readonly<Record<string, string>> = {},
  options: ServiceOptions = {},
): Promise<Organizations> {
  const dataDirectory = temporaryDirectory(test);
  const masterKey = loadMasterKey(dataDirectory);
  await copyCluster(join(dataDirectory, 'database'));
  const written = await withDatabase(dataDirectory, async (database) => {
    const ids = await writeDemo(database, masterKey);
    const addresses = { baseUrl: '', siteUrl: '', audienceUrl: '', adminUrl: '' };
    writeBootstrap(dataDirectory, { ...ids, ...addresses });
    return writeRest(database, ids.organizationId, ids.projectId);
  });
  const service = await startTestService(test, { VH_DATA_DIR: dataDirectory, ...environment }, options);
  const { organizationId } = service.bootstrap;
  const token = async (role: DashboardRole, of: string, lifetimeSeconds: number): Promise<Headers> => ({
    authorization: `Bearer ${await issueDashboardToken(masterKey, { organizationId: of, role, lifetimeSeconds })}`,
  });
  const dashboard = (role: DashboardRole, of = organizationId) => token(role, of, 600);
  const { other, sibling, expiredKey, revokedKey, testKey, organizationTestKey, demoKey, earlyKey } = written;
  return {
    service,
    other,
    sibling,
    earlyKey,
    dashboard,
    credentials: {
      none: {},
      garbage: keyHeaders('vf_live_garbage'),
      expiredKey: keyHeaders(expiredKey),
      revokedKey: keyHeaders(revokedKey),
      expiredToken: await token('owner', organizationId, -3_600),
      otherOrganizationKey: keyHeaders(other.organizationKey),
      otherOrganizationOwner: await dashboard('owner', other.organizationId),
      otherProjectKey: keyHeaders(sibling.projectKey),
      member: await dashboard('member'),
      admin: await dashboard('admin'),
      owner: await dashboard('owner'),
      projectKey: keyHeaders(service.bootstrap.projectKey),
      organizationKey: keyHeaders(service.bootstrap.organizationKey),
      testKey: keyHeaders(testKey),
      organizationTestKey: keyHeaders(organizationTestKey),
      demoKey: keyHeaders(demoKey),
    },
  };
}

/** Does the work of a first start. */
async function writeDemo(database: Database, masterKey: Uint8Array): Promise<BootstrapIds> {
  const { readable } = await admitMasterKeys(database, { current: masterKey, kept: [] });
  const ids = await bootstrapDemo(database, createSigningSecrets(readable), () => undefined);
  if (ids === null) throw new Error('the database holds an organization already');
  return ids;
}

async function writeRest(database: Database, organizationId: string, projectId: string) {
  const secretOf = async (key: Partial<Parameters<typeof mintKey>[1]>): Promise<string> =>
    (await mintKey(database, { organizationId, projectId, name: 'Test', isTest: false, ...key })).secret;
  const otherOrganizationId = await insertOrganization(database, { name: 'Other', tier: 'free', liteEnabled: true });
  const otherProject = await insertProject(database, otherOrganizationId, { name: 'Other project' });
  const sibling = await insertProject(database, organizationId, { name: 'Sibling' });
  if (otherProject === null || sibling === null) throw new Error('the projects were not made');
  const revoked = await mintKey(database, { organizationId, projectId, name: 'Revoked', isTest: false });
  await database.query('UPDATE api_keys SET revoked_at = now() WHERE key_id = $1', [revoked.keyId]);
  const early = await mintKey(database, {
    organizationId,
    projectId,
    name: 'Early',
    isTest: false,
    scopes: ['verifications:write'],
  });
  await database.query("UPDATE api_keys SET created_at = '2026-05-20T23:59:59Z' WHERE key_id = $1", [early.keyId]);
  return {
    other: {
      organizationId: otherOrganizationId,
      projectId: otherProject.projectId,
      organizationKey: await secretOf({ organizationId: otherOrganizationId, projectId: null }),
      projectKey: await secretOf({ organizationId: otherOrganizationId, projectId: otherProject.projectId }),
    },
    sibling: { projectId: sibling.projectId, projectKey: await secretOf({ projectId: sibling.projectId }) },
    expiredKey: await secretOf({ expiresAt: new Date(Date.now() - 1_000) }),
    revokedKey: revoked.secret,
    earlyKey: early.secret,
    testKey: await secretOf({ isTest: true }),
    organizationTestKey: await secretOf({ projectId: null, isTest: true }),
    demoKey: await secretOf({
      isTest: true,
      isDemo: true,
      scopes: ['lite:write', 'lite:read', 'verifications:write', 'verifications:read'],
    }),
  };
}
