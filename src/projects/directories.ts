/**
 * The records that requests are decided by, cached in process: keys by the hash of their secret, projects, organizations.
 * A change anywhere is in force here within the interval of the change feed; one made by this process, at once.
 */
import type { AccessDeps, KeyCaller } from '../http/access.js';
import type { Database } from '../stores/database/port.js';
import type { Logger } from '../telemetry/logger.js';
import { findKeyByHash, hashSecret } from './api-keys.js';
import { openChangeFeed, type ChangeKind } from './change-feed.js';
import { createDirectory, type Directory } from './directory.js';
import { findOrganization, findProject, type StoredOrganization, type StoredProject } from './project-store.js';

const entriesMax = 50_000;
const feedIntervalMs = 300;
/** Longest secret that is looked at; ours are 51 characters. */
const secretLengthMax = 256;

export interface Directories {
  readonly findKey: AccessDeps['findKey'];
  readonly findProjectOwner: AccessDeps['findProjectOwner'];
  /** By project id. */
  readonly projects: Directory<StoredProject>;
  /** By probe key; probe keys never change. */
  readonly probeKeys: Directory<{ readonly projectId: string }>;
  readonly organizations: Directory<StoredOrganization>;
  close(): Promise<void>;
}

export async function openDirectories(deps: { readonly database: Database; readonly logger: Logger; readonly now: () => number }): Promise<Directories> {
  const { database, logger, now } = deps;
  const keys = createDirectory(entriesMax, (hash) => findKeyByHash(database, hash));
  const projects = createDirectory(entriesMax, (id) => findProject(database, id));
  const probeKeys = createDirectory(entriesMax, async (probeKey) => {
    const project = probeKey.startsWith('pk_') ? await findProject(database, probeKey) : null;
    return project === null ? null : { projectId: project.projectId };
  });
  const organizations = createDirectory(entriesMax, (id) => findOrganization(database, id));
  const byKind: Record<ChangeKind, Directory<object>> = { key: keys, project: projects, organization: organizations };
  const feed = await openChangeFeed({
    database,
    logger,
    intervalMs: feedIntervalMs,
    onChange: (kind, subject) => byKind[kind].drop(subject),
    onGap: () => Object.values(byKind).forEach((directory) => directory.clear()),
  });

  return {
    projects,
    probeKeys,
    organizations,
    async findKey(secret): Promise<KeyCaller | null> {
      if (!secret.startsWith('vf_') || secret.length > secretLengthMax) return null;
      const key = await keys.get(hashSecret(secret).toString('hex'));
      return key === null || (key.expiresAtMs !== null && key.expiresAtMs <= now()) ? null : key;
    },
    findProjectOwner: async (projectId) => (await projects.get(projectId))?.organizationId ?? null,
    close: () => feed.close(),
  };
}
