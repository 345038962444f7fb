/** Throw-away directories for tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh directory that is removed when the test ends. */
export async function createDirectory(t: { teardown(work: () => Promise<void>): unknown }): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'verifyhuman-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
