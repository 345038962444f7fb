/**
 * The records that requests are decided by, cached in process: keys by the hash of their secret, projects, organizations, OAuth clients.
 * A change anywhere is in force here within the interval of the change feed; one made by this process, at once. Cut off from the database, what
 * is cached goes on, keys for a stated time at most: one that was revoked meanwhile would else be good for as long as the cut lasts.
 */
import type { KeyCaller } from '../kernel/caller.js';
import type { Database } from '../stores/database/port.js';
import type { Logger } from '../telemetry/logger.js';
import { createKeyUse, findKeyByHash, findKeyOwner, hashSecret } from './api-keys.js';
import { createDirectory, openChangeFeed, type ChangeKind, type Directory } from './record-cache.js';
import { findClient, isClientId } from './oauth-clients.js';
import { findOrganization } from './organization-store.js';
import { allowsDemoKeys, findProject } from './project-store.js';

const entriesMax = 50_000;
/** A change made elsewhere is promised to be known within a second. */
export const feedIntervalMs = 300;
/** Longest secret that is looked at; ours are 55 characters at most. */
const secretLengthMax = 256;

export type Directories = Awaited<ReturnType<typeof openDirectories>>;

export async function openDirectories(deps: {
  readonly database: Database;
  readonly logger: Logger;
  readonly now: () => number;
  /** Cut off from the database for longer, cached keys and clients are honoured no more; null for ever. */
  readonly cachedKeysMaxMs?: number | null;
  /** Milliseconds that only go up. */
  readonly elapsed?: () => number;
}) {
  const { database, logger, now, cachedKeysMaxMs = null, elapsed = () => performance.now() } = deps;
  let feedAgeMs = (): number => 0;
  const isStale = (): boolean => cachedKeysMaxMs !== null && feedAgeMs() > cachedKeysMaxMs;
  const keys = createDirectory(entriesMax, (hash) => findKeyByHash(database, hash), { isStale });
  const [ofProjects, ofErasures] = [createListeners(), createListeners()];
  const findOne = (id: string) => findProject(database, id);
  const projects = notifying(createDirectory(entriesMax, findOne), ofProjects.notify);
  const probeKeys = createDirectory(entriesMax, async (probeKey) => {
    const project = probeKey.startsWith('pk_') ? await findProject(database, probeKey) : null;
    return project === null ? null : { projectId: project.projectId };
  });
  const organizations = createDirectory(entriesMax, (id) => findOrganization(database, id));
  const clients = createDirectory(entriesMax, (id) => findClient(database, id), { isStale });
  const byKind: Record<Exclude<ChangeKind, 'session'>, Directory<object>> = {
    key: keys,
    project: projects,
    organization: organizations,
  };
  const uses = createKeyUse({ database, logger, now });
  const feed = await openChangeFeed({
    database,
    logger,
    intervalMs: feedIntervalMs,
    onChange(kind, subject) {
      if (kind === 'session') ofErasures.notify(subject);
      // Changes of clients are reported as changes of keys.
      else (isClientId(subject) ? clients : byKind[kind]).drop(subject);
    },
    onGap() {
      for (const directory of [...Object.values(byKind), clients]) void directory.clear();
      ofErasures.notify(null);
    },
    elapsed,
  });
  feedAgeMs = () => feed.ageMs();

  return {
    /** By project id. */
    projects,
    /** By probe key; probe keys never change. */
    probeKeys,
    organizations,
    /** OAuth clients that are not revoked, by id. */
    clients,
    async findKey(secret: string): Promise<KeyCaller | null> {
      if (!secret.startsWith('vf_') || secret.length > secretLengthMax) return null;
      const key = await keys.get(hashSecret(secret).toString('hex'));
      if (key === null || (key.expiresAtMs !== null && key.expiresAtMs <= now())) return null;
      if (key.isDemo && !allowsDemoKeys(await projects.get(key.projectId ?? ''))) return null;
      uses.note(key.keyId);
      return key;
    },
    findProjectOwner: async (projectId: string): Promise<string | null> =>
      projectId.startsWith('proj_') ? ((await projects.get(projectId))?.organizationId ?? null) : null,
    findKeyOwner: (keyId: string) => findKeyOwner(database, keyId),
    /** Calls the listener for each project that changed, or whose signing secret changed, on any instance; null means any project. */
    onProjectChange: ofProjects.add,
    /** Calls the listener for each session that was erased, on any instance; null means any session. */
    onSessionErased: ofErasures.add,
    /** Forgets a key by the hex SHA-256 of its secret: its next use reads the database. */
    dropKey: (hash: string): void => keys.drop(hash),
    /** How long ago this process knew of every change there was. */
    feedAgeMs: () => feed.ageMs(),
    /** False while it is cut off from the database for so long that no cached key is honoured. */
    honoursKeys: () => !isStale(),
    /** Writes the uses of keys that were noted so far. */
    flushKeyUses: () => uses.flush(),
    async close(): Promise<void> {
      await feed.close();
      await uses.close();
    },
  };
}

/** Whoever wants to know of changed records by their ids; null means any of them. */
function createListeners() {
  const listeners: ((id: string | null) => void)[] = [];
  return {
    add: (listener: (id: string | null) => void): void => void listeners.push(listener),
    notify: (id: string | null): void => listeners.forEach((listener) => listener(id)),
  };
}

/** A directory that notifies of each dropped entry. */
function notifying<T extends object>(directory: Directory<T>, notify: (id: string | null) => void): Directory<T> {
  return {
    get: directory.get,
    drop(id) {
      directory.drop(id);
      notify(id);
    },
    async clear() {
      notify(null);
      await directory.clear();
      // Derived values may have been made again from a record that was still there.
      notify(null);
    },
  };
}
