/**
 * A configured file in memory, and the version of it that was read.
 */
import { stat } from 'node:fs/promises';
import { open, type Reader, type Response } from 'maxmind';

export type Database = Reader<Response>;

export interface WatchedFile<T> {
  readonly setting: string;
  readonly path: string;
  readonly load: (path: string) => Promise<T>;
  content: T;
  /** The version of the file at the last check, readable or not. */
  seen: string;
}

/** Opens a configured file; null without a path. Rejects with an error that names the setting if it cannot be read. */
export async function openFile<T>(
  setting: string,
  path: string | null,
  kind: string,
  load: (path: string) => Promise<T>,
): Promise<WatchedFile<T> | null> {
  if (path === null) return null;
  try {
    const seen = await identify(path);
    return { setting, path, seen, load, content: await load(path) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${setting} names ${path}, which cannot be read as ${kind}: ${reason}`, { cause });
  }
}

/** The version of a file that lies there. */
export async function identify(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path);
  return `${mtimeMs}:${size}:${ino}`;
}

export async function loadMmdb(path: string): Promise<Database> {
  const database = await open<Response>(path, { cache: { max: 10_000 } });
  const { nodeCount, ipVersion } = database.metadata;
  if (!Number.isInteger(nodeCount) || nodeCount < 1 || (ipVersion !== 4 && ipVersion !== 6))
    throw new Error('its metadata is not valid');
  // Walking the tree finds a file whose tail is whole and whose middle is not.
  for (const probe of [
    '1.1.1.1',
    '8.8.8.8',
    '192.0.2.1',
    '223.255.255.255',
    ...(ipVersion === 6 ? ['2001:4860:4860::8888', '2a00::1'] : []),
  ]) {
    database.get(probe);
  }
  return database;
}
