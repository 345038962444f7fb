/** Files kept beside the spool: what in them was damaged, or refused by the log, waits for an operator, who takes them away. */
import { readdir, stat } from 'node:fs/promises';
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
