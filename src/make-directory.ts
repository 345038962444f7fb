/**
 * Makes a directory for this user alone, and its missing parents. Throws as `mkdirSync`, whose own option `recursive` never returns for a path
 * such as /proc/x/y: a folder is missing there in a parent that exists.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export function makeDirectory(directory: string): void {
  try {
    makeOne(directory);
  } catch (error) {
    const parent = dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error;
    makeDirectory(parent);
    makeOne(directory);
  }
}

function makeOne(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(directory).isDirectory();
    if (!isThere) throw error;
  }
}
