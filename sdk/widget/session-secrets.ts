/**
 * Client secrets of this tab's sessions, so that a later mount can try a failed one again: in the tab's storage until the session expires, and
 * for this mount alone where the page has no storage.
 */
import type { SessionReply } from '../../src/contract/session.js';

const prefix = 'vh-session:';

/** The part of a browser’s storage that is used here; its own properties are its entries. */
export interface TabStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

type Kept = Pick<SessionReply, 'sessionId' | 'clientSecret' | 'expiresAt'>;

export interface SessionSecrets {
  keep(session: Kept): void;
  find(sessionId: string): string | undefined;
}

/** `open` throws where the page may not store anything. */
export function createSessionSecrets(open: () => TabStorage, nowMs: () => number): SessionSecrets {
  const own = new Map<string, string>();
  return {
    keep({ sessionId, clientSecret, expiresAt }) {
      own.set(sessionId, clientSecret);
      whereStored(open, (storage) => {
        dropExpired(storage, nowMs() / 1_000);
        storage.setItem(prefix + sessionId, `${expiresAt} ${clientSecret}`);
      });
    },
    find: (sessionId) =>
      own.get(sessionId) ?? whereStored(open, (storage) => storage.getItem(prefix + sessionId)?.split(' ')[1]),
  };
}

function dropExpired(storage: TabStorage, nowSeconds: number): void {
  for (const name of Object.keys(storage))
    if (name.startsWith(prefix) && !(Number.parseInt(storage.getItem(name) ?? '', 10) > nowSeconds))
      storage.removeItem(name);
}

/** Undefined where nothing can be stored, or not more. */
function whereStored<T>(open: () => TabStorage, use: (storage: TabStorage) => T): T | undefined {
  try {
    return use(open());
  } catch {
    return undefined;
  }
}
