// Finds the tests that start no service, database, process, thread or browser: nothing that they import, directly or not, can start one. A module that is
// not there counts as one that starts nothing; the test fails when it runs.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Modules of Node.js and packages that start something, or connect to it. */
const starters = [
  'node:child_process',
  'node:worker_threads',
  '@electric-sql/pglite',
  'esbuild',
  'ioredis',
  'kafkajs',
  'pg',
  'piscina',
  'playwright-core',
];

/** Returns whether a compiled file is fast. Files that share imports are read once. */
export function createIsFast() {
  const startsByPath = new Map();
  const starts = (path) => {
    const known = startsByPath.get(path);
    if (known !== undefined) return known;
    // Lint refuses imports in a circle; one would end here.
    startsByPath.set(path, false);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const imported = [...text.matchAll(/(?:\bfrom |\bimport |\bimport\()'([^']+)'/g)].map(([, name]) => name);
    const found = imported.some((name) =>
      name.startsWith('.') ? starts(join(dirname(path), name)) : starters.includes(name),
    );
    startsByPath.set(path, found);
    return found;
  };
  return (path) => !starts(path);
}
