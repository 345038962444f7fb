/**
 * Signing secrets of projects, cached in process: a warm look-up reads no database. The change feed reports rotations within its interval;
 * a token that names a newer version than is known has the cache read again, at most once a second for a project, so that made-up
 * versions cost nothing.
 */
import { createBoundedCache } from '../../bounded-cache.js';
import { createDirectory, type Directory } from '../../administration/record-cache.js';
import type { SigningSecret, SigningSecrets } from '../../administration/signing-secrets.js';
import type { Database } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { FindSecrets } from './verification-token.js';

const entriesMax = 50_000;
const rereadMs = 1_000;

export interface SigningDirectoryDeps {
  readonly database: Database;
  readonly signingSecrets: SigningSecrets;
  readonly findProjectOwner: (projectId: string) => Promise<string | null>;
  /** Calls back for each project that changed anywhere; null for all of them. */
  readonly onProjectChange: (listener: (projectId: string | null) => void) => void;
  readonly now: () => number;
}

export interface SigningDirectory {
  readonly find: FindSecrets;
  /** The secret to sign with; made where a project has none yet. */
  current(project: { readonly projectId: string; readonly organizationId: string }): Promise<SigningSecret>;
}

export function createSigningDirectory(deps: SigningDirectoryDeps): SigningDirectory {
  const { database, signingSecrets, now } = deps;
  const secrets: Directory<readonly SigningSecret[]> = createDirectory(entriesMax, async (projectId) => {
    const read = await signingSecrets.read(database, projectId);
    return read.length === 0 ? null : read;
  });
  const rereadAt = createBoundedCache<number>(entriesMax);
  deps.onProjectChange((projectId) => {
    if (projectId === null) void secrets.clear();
    else secrets.drop(projectId);
  });

  return {
    async find(projectId, organizationId, wantedVersion) {
      if ((await deps.findProjectOwner(projectId)) !== organizationId) return null;
      const known = await secrets.get(projectId);
      const isNewer = known !== null && wantedVersion !== null && wantedVersion > (known[0]?.version ?? 0);
      if (!isNewer || now() - (rereadAt.get(projectId) ?? -Infinity) < rereadMs) return known;
      rereadAt.set(projectId, now());
      secrets.drop(projectId);
      return secrets.get(projectId);
    },
    async current(project) {
      const known = (await secrets.get(project.projectId)) ?? (await makeFirst(deps, project));
      const [newest] = known;
      if (newest === undefined) throw new Error(`${project.projectId} has no signing secret`);
      return newest;
    },
  };
}

/** If two calls make the first secret at once, the second finds it made: the project’s row is locked meanwhile. */
async function makeFirst(
  { database, signingSecrets }: SigningDirectoryDeps,
  project: { readonly projectId: string; readonly organizationId: string },
): Promise<readonly SigningSecret[]> {
  return inOrganization(database, project.organizationId, async (tx) => {
    await tx.query('SELECT 1 FROM projects WHERE project_id = $1 FOR UPDATE', [project.projectId]);
    const known = await signingSecrets.read(tx, project.projectId);
    if (known.length > 0) return known;
    await signingSecrets.rotate(tx, project, false);
    return signingSecrets.read(tx, project.projectId);
  });
}
