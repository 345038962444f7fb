/**
 * Bench of the files that one score executes: those of src/ and workers/ in which a function runs between `POST /lite/score`, with a probe, and its
 * reply, by V8's coverage of the main thread. On the running stack in a process of role api, as consumers read
 * the record before its reply has arrived; or with `embedded` on embedded stores.
 */
import type { FilesOfScores } from './files-server.js';
import { serve } from './process.js';
import type { BenchResult } from './bench-result.js';
import { findStack, withStack } from './stack.js';

export async function benchFiles(options: { readonly embedded?: boolean } = {}): Promise<BenchResult> {
  const stores = findStack() === null || options.embedded === true ? 'embedded' : 'stack';
  const files =
    stores === 'embedded'
      ? await filesOfScore({})
      : await withStack((stack) => filesOfScore({ ...stack, VH_ROLES: 'api' }));
  const table = [...files, `${files.length} files on ${stores === 'stack' ? 'the stack' : 'embedded stores'}`];
  return { table: table.join('\n'), ratios: { files: files.length } };
}

/** Files that run in every score: work of the background misses some. */
async function filesOfScore(environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const served = await serve<FilesOfScores>(new URL('./files-server.js', import.meta.url), environment);
  await served.stop();
  const counts = new Map<string, number>();
  for (const file of served.info.flat()) counts.set(file, (counts.get(file) ?? 0) + 1);
  return [...counts].flatMap(([file, count]) => (count === served.info.length ? [file] : [])).sort();
}
