/**
 * Demo keys: test keys that anybody may mint from a page of the project’s, good for an hour and for measuring only. Minting one
 * takes the expired ones of the project away, so that they never pile up.
 */
import { demoRateLimits, keyScopes, type DemoKeyReply } from '../../contract/api-key.js';
import type { Database } from '../../stores/database/port.js';
import { mintKey } from '../../administration/api-keys.js';
import type { StoredProject } from '../../administration/project-store.js';
import { inOrganization } from '../../stores/database/tenant.js';

const lifetimeMs = 3_600_000;

export async function mintDemoKey(
  database: Database,
  { organizationId, projectId }: StoredProject,
  nowMs: number,
): Promise<DemoKeyReply> {
  const expiresAt = new Date(nowMs + lifetimeMs);
  const minted = await inOrganization(database, organizationId, async (tx) => {
    await tx.query('DELETE FROM api_keys WHERE project_id = $1 AND is_demo AND expires_at < $2', [
      projectId,
      new Date(nowMs),
    ]);
    return mintKey(tx, {
      organizationId,
      projectId,
      name: 'Demo key',
      isTest: true,
      isDemo: true,
      scopes: keyScopes.demo,
      limits: demoRateLimits,
      expiresAt,
    });
  });
  return {
    apiKey: minted.secret,
    keyId: minted.keyId,
    apiKeyPrefix: minted.prefix,
    projectId,
    isTest: true,
    isDemo: true,
    expiresAt: expiresAt.toISOString(),
  };
}
