/** Packages that `npm ci` at the root does not install: those of examples and of CI's tools. */
import { existsSync } from 'node:fs';
import { repositoryPath } from './repository.js';

/** False where the packages of a folder are installed or have to be; otherwise why a test that needs them is left out. */
export function missingPackages(folder: string): string | false {
  const isNeeded = process.env['VH_REQUIRE_STACK'] === '1' || existsSync(repositoryPath(`${folder}/node_modules`));
  return isNeeded ? false : `its packages are not installed: npm ci --prefix ${folder}`;
}
