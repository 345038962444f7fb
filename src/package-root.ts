/**
 * The folder of package.json, seen from the compiled code: where files that are not compiled (migrations, scripts, bundles) are found.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly gitHead?: string;
};

export const packageVersion = manifest.version;

/** The commit that a release was packed from; `unreleased` in a checkout. */
export const packageCommit = manifest.gitHead ?? 'unreleased';

function findRoot(directory: string): string {
  if (existsSync(join(directory, 'package.json'))) return directory;
  const parent = dirname(directory);
  if (parent === directory) throw new Error('package.json is in no folder above the compiled code');
  return findRoot(parent);
}
