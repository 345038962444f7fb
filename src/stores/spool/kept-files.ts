/**
 * Spool files that were damaged, or that hold an entry the log refuses. They wait for an operator. Whom they are about is unknown, so they are deleted
 * by age.
 */
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Goes behind the name that the file had in the queue. */
export const keptEnding = '.kept';

export interface KeptFiles {
  readonly files: number;
  /** When the oldest of them was written last, milliseconds since 1970; null where there is none. */
  readonly oldestAtMs: number | null;
}

/** Those of a directory; one that goes meanwhile is not counted. */
export async function findKept(directory: string): Promise<KeptFiles> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(keptEnding));
  const found = await Promise.all(names.map((name) => stat(join(directory, name)).catch(() => null)));
  const times = found.flatMap((each) => (each === null ? [] : [each.mtimeMs]));
  return { files: times.length, oldestAtMs: times.length === 0 ? null : Math.min(...times) };
}

/** Deletes those that were kept aside before that time, milliseconds since 1970; answers their paths. The rename was the last change of each. */
export async function dropKept(directory: string, keptBeforeMs: number): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (const name of await readdir(directory)) {
    if (!name.endsWith(keptEnding)) continue;
    const path = join(directory, name);
    const found = await stat(path).catch(() => null);
    if (found === null || !found.isFile() || found.ctimeMs >= keptBeforeMs) continue;
    await unlink(path);
    dropped.push(path);
  }
  return dropped;
}
