/** Throw-away directories for tests. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh directory that is removed when the test ends. `parent`: where it lies, if not among the system’s own. */
export function temporaryDirectory(t: { teardown(work: () => Promise<void>): unknown }, parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, 'verifyhuman-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
