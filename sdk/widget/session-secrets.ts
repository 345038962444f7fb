/**
 * The tab's storage keeps these of its sessions until they expire: client secrets, so that a later mount can try a failed one again, and the session
 * that was begun last, so that a reload continues it. If the page has no storage, secrets are kept for this page alone.
 */
import type { SessionReply } from '../../src/contract/session.js';

const prefix = 'vh-session:';
const begunName = 'vh-begun';
/** A check needs at least this much of a session's time, seconds. */
const leftMin = 300;

/** The part of a browser’s storage that is used here; its own properties are its entries. */
export interface TabStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

export interface SessionSecrets {
  keep(session: Pick<SessionReply, 'sessionId' | 'clientSecret' | 'expiresAt'>): void;
  find(sessionId: string): string | undefined;
  /** Keeps a session that was asked for with these words. */
  begin(words: string, session: SessionReply): void;
  /** The session that an earlier page of this tab began with the same words. */
  findBegun(words: string): SessionReply | undefined;
  /** The session takes no other capture. */
  use(sessionId: string): void;
}

/** `open` throws where the page may not store anything. */
export function createSessionSecrets(open: () => TabStorage, nowMs: () => number): SessionSecrets {
  const own = new Map<string, string>();
  return {
    begin: (words, session) =>
      whereStored(open, (storage) => storage.setItem(begunName, JSON.stringify({ words, session }))),
    findBegun: (words) =>
      whereStored(open, (storage) => {
        const begun = readBegun(storage);
        const isFree = begun.words === words && !own.has(begun.session.sessionId);
        return isFree && begun.session.expiresAt - nowMs() / 1_000 > leftMin ? begun.session : undefined;
      }),
    use: (sessionId) =>
      whereStored(open, (storage) => {
        if (readBegun(storage).session.sessionId === sessionId) storage.removeItem(begunName);
      }),
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

/** Throws where nothing was begun. */
const readBegun = (storage: TabStorage) =>
  JSON.parse(storage.getItem(begunName) ?? '') as { readonly words: string; readonly session: SessionReply };

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
